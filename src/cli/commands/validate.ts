import type { Command } from "commander";
import { type Cli, command, optionsOf } from "../cli";
import { EXIT } from "../exit-code";
import { diagnosticText, inspectHere } from "../inspect";

const count = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`;

/** `berth validate`: every finding about the project in --dir, offline; fails on errors only. */
export const validateCommand = (cli: Cli): Command =>
  command("validate", "check the project and print what is wrong, offline")
    .option("--strict", "fail on warnings too")
    .action(async (_: object, self: Command) => {
      const options = optionsOf<{ strict?: boolean }>(self);
      const { diagnostics } = await inspectHere(cli, options);
      const errors = diagnostics.filter(({ severity }) => severity === "error").length;
      const warnings = diagnostics.length - errors;
      const ok = errors === 0 && !(options.strict && warnings > 0);
      if (!ok) cli.exitCode = EXIT.failed;
      if (options.json) {
        cli.output.json({ ok, diagnostics });
        return;
      }
      for (const found of diagnostics) cli.output.data(diagnosticText(found, cli.output.out));
      cli.output.note(`${count(errors, "error")}, ${count(warnings, "warning")}`);
    });
