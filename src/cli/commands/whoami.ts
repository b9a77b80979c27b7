import type { Command } from "commander";
import type { Me } from "../../sdk/client";
import { type Cli, command, optionsOf } from "../cli";
import { connect } from "../config";
import { jsonText } from "../output";
import { plainText } from "../plain-text";

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The words people know something by; JSON for what has none. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(", ") || "none";
  if (!isFields(value)) return typeof value === "string" ? value : jsonText(value, true);
  const { slug, role, kind, label, id } = value;
  const words = [kind, slug ?? label ?? id, role].filter((word) => typeof word === "string");
  return words.length > 0 ? words.join(" ") : jsonText(value, true);
}

/** Who asks and where, a line each; a key's permissions are listed, not its whole record. */
function lines(me: Me): string[] {
  const { principal, key, orgs = [] } = me;
  const permissions = isFields(key) && Array.isArray(key.permissions) ? key.permissions : undefined;
  return [
    ...(principal === undefined ? [] : [`principal: ${textOf(principal)}`]),
    ...(isFields(key) ? [`key: ${textOf(key)}`] : []),
    ...(permissions ? [`permissions: ${textOf(permissions)}`] : []),
    `orgs: ${textOf(orgs)}`,
  ];
}

/** `berth whoami`: as whom, where, and in which organisations. */
export const whoamiCommand = (cli: Cli): Command =>
  command("whoami", "who the server takes you for").action(async (_: object, self: Command) => {
    const options = optionsOf(self);
    const { url, client } = await connect(cli, options);
    const me = await client.control.me();
    if (options.json) cli.output.json({ url, ...me });
    else cli.output.data(plainText([`url: ${url}`, ...lines(me)].join("\n")));
  });
