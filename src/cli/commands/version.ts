import type { Command } from "commander";
import packageJson from "../../../package.json" with { type: "json" };
import { type Cli, command, optionsOf } from "../cli";

/** `berth version`. */
export const versionCommand = (cli: Cli): Command =>
  command("version", "the version of this program").action((_: object, self: Command) => {
    const { version } = packageJson;
    if (optionsOf(self).json) cli.output.json({ version, node: process.version });
    else cli.output.data(version);
  });
