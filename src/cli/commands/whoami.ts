import type { Command } from "commander";
import { type Cli, command, optionsOf } from "../cli";
import { connect } from "../config";
import { jsonText } from "../output";
import { plainText } from "../plain-text";

/** `berth whoami`: as whom, where, and in which organisations. */
export const whoamiCommand = (cli: Cli): Command =>
  command("whoami", "who the server takes you for").action(async (_: object, self: Command) => {
    const options = optionsOf(self);
    const { url, client } = await connect(cli, options);
    const me = await client.control.me();
    if (options.json) {
      cli.output.json({ url, ...me });
      return;
    }
    const lines = Object.entries(me).map(([name, value]) => {
      const text = typeof value === "string" ? value : jsonText(value, true);
      return `${name}: ${text}`;
    });
    cli.output.data(plainText([`url: ${url}`, ...lines].join("\n")));
  });
