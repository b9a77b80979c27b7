import { Command } from "commander";
import type { ExitCode } from "./exit-code";
import type { GlobalOptions } from "./global-options";
import type { CliIo } from "./io";
import { createOutput, type Output } from "./output";

/** One run of the CLI. */
export interface Cli {
  io: CliIo;
  output: Output;
  exitCode: ExitCode;
}

export const createCli = (io: CliIo): Cli => ({ io, output: createOutput(io), exitCode: 0 });

/** A sub-command; its options are read with `optionsOf`, which adds the global ones. */
export function command(usage: string, summary: string): Command {
  const [name, ...args] = usage.split(" ");
  const made = new Command(name).summary(summary).description(summary);
  for (const arg of args) made.argument(arg);
  return made;
}

/** The options of a command together with the global ones. */
export const optionsOf = <Own extends object = object>(self: Command): Own & GlobalOptions =>
  self.optsWithGlobals<Own & GlobalOptions>();
