import type { Command } from "commander";
import { infoOf } from "../../project";
import { type Cli, command, optionsOf } from "../cli";
import { connectAgent } from "../config";
import { CliError } from "../exit-code";
import type { GlobalOptions } from "../global-options";
import { diagnosticText, inspectHere } from "../inspect";
import { plainText } from "../plain-text";

type Info = Record<string, unknown>;

async function offlineInfo(cli: Cli, options: GlobalOptions): Promise<Info> {
  const { manifest, diagnostics } = await inspectHere(cli, options);
  for (const found of diagnostics) cli.output.note(diagnosticText(found, cli.output.err));
  if (manifest) return infoOf(manifest);
  throw new CliError("invalid_project", "The project cannot be loaded.", { fix: "berth validate" });
}

const INDENT = "  ";

/** Text below another line, every line of it moved in. */
const indented = (text: string, depth: number): string =>
  text.replaceAll("\n", `\n${INDENT.repeat(depth)}`);

const named = (item: unknown): string => {
  if (typeof item !== "object" || item === null) return String(item);
  const { name, id, description, cron } = item as Record<string, unknown>;
  return [name ?? id ?? JSON.stringify(item), cron, description].filter(Boolean).join("  ");
};

/** The lists of an info answer, each under its name; empty ones are left out. */
function infoText(info: Info): string {
  const { agent, ...lists } = info as { agent?: Info } & Info;
  const head = ["name", "description", "access"].map((key) => [key, agent?.[key]] as const);
  const models = (agent?.models as unknown[] | undefined) ?? [];
  const lines = [...head, ["models", models.map(named).join(", ")] as const]
    .filter(([, value]) => value)
    .map(([key, value]) => `${key}: ${value}`);
  for (const [kind, items] of Object.entries(lists)) {
    if (!Array.isArray(items) || items.length === 0) continue;
    lines.push(`${kind}:`, ...items.map((item) => `${INDENT}${indented(named(item), 2)}`));
  }
  return plainText(lines.join("\n"));
}

/** `berth info`: what the project in --dir offers, offline; with --url, what a deployed agent does. */
export const infoCommand = (cli: Cli): Command =>
  command("info", "list tools, channels, schedules and the rest of the project").action(
    async (_: object, self: Command) => {
      const options = optionsOf(self);
      const info =
        options.url === undefined
          ? await offlineInfo(cli, options)
          : await connectAgent(cli, options).then(({ api }) => api.info());
      if (options.json) cli.output.json(info);
      else cli.output.data(infoText(info));
    },
  );
