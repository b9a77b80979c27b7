import { existsSync } from "node:fs";
import type { Command } from "commander";
import type { BuildLogLine } from "../../protocol/build-log";
import { type Cli, command, optionsOf } from "../cli";
import { agentOf, connect, orgOf, projectDir } from "../config";
import { CliError, usageError } from "../exit-code";
import { diagnosticText } from "../inspect";
import { packProject } from "../pack/pack-project";
import { plainText } from "../plain-text";
import { writeProjectLink } from "../project-link";

const sizeText = (bytes: number): string => {
  if (bytes < 1024) return `${bytes} B`;
  const kib = bytes / 1024;
  return kib < 1024 ? `${kib.toFixed(1)} KiB` : `${(kib / 1024).toFixed(1)} MiB`;
};

/** Shows a line of the build log on stderr. */
function show(cli: Cli, line: BuildLogLine): void {
  const { output } = cli;
  switch (line.type) {
    case "phase":
      output.note(output.err.dim(`▸ ${plainText(line.phase)}`));
      return;
    case "log":
      if (line.text.trim() !== "") output.note(`  ${plainText(line.text)}`);
      return;
    case "diagnostic":
      output.note(diagnosticText(line.diagnostic, output.err));
      return;
    default:
      return;
  }
}

interface Deployed {
  version: number;
  url: string;
}

/** Follows the build to its end. */
async function follow(cli: Cli, lines: AsyncIterable<BuildLogLine>): Promise<Deployed> {
  const shown = new Set<string>();
  for await (const line of lines) {
    show(cli, line);
    if (line.type === "diagnostic") shown.add(JSON.stringify(line.diagnostic));
    if (line.type === "deployed") return line;
    if (line.type !== "failed") continue;
    const fresh = line.diagnostics.filter((found) => !shown.has(JSON.stringify(found)));
    for (const found of fresh) cli.output.note(diagnosticText(found, cli.output.err));
    throw new CliError("deploy_failed", "The deployment failed; the active version stays.", {
      fix: "Mend what is named above and run berth deploy again.",
    });
  }
  throw new CliError("deploy_failed", "The build log ended without a result.");
}

/** `berth deploy`: packs the project in --dir, uploads it, follows the build, prints the URL. */
export const deployCommand = (cli: Cli): Command =>
  command("deploy", "pack the project, upload it and follow the build").action(
    async (_: object, self: Command) => {
      const options = optionsOf(self);
      const dir = projectDir(cli, options);
      if (!existsSync(dir)) throw usageError(`There is no folder ${dir}.`, "Name it with --dir.");
      const server = await connect(cli, options);
      const packed = await packProject(dir);
      const org = await orgOf(cli, options, server);
      const agent = await agentOf(cli, options, server);
      cli.output.note(
        `${packed.files.length} files, ${sizeText(packed.size)} ` +
          `(${sizeText(packed.archive.length)} packed) → ${org}/${agent} at ${server.url}`,
      );
      const lines = server.client.control.deploy(org, agent, packed.archive, {
        onReconnect: (reason) => cli.output.note(`The log broke off (${reason}); going on …`),
      });
      const deployed = await follow(cli, lines);
      await writeProjectLink(dir, { ...server.link, org, agent, url: server.url });
      const { version, url } = deployed;
      cli.output.note(cli.output.err.green(`Version ${version} is active.`));
      if (options.json) cli.output.json({ org, agent, version, url });
      else cli.output.data(plainText(url));
    },
  );
