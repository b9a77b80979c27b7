import { Command } from "commander";
import type { GlobalOptions } from "./config";
import type { ExitCode } from "./exit-code";
import { createOutput, type Output, type WritableLike } from "./output";

export interface ReadableLike extends NodeJS.ReadableStream {
  isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
}

/** Everything of the outside world a command may touch. */
export interface CliIo {
  stdin: ReadableLike;
  stdout: WritableLike;
  stderr: WritableLike;
  env: Record<string, string | undefined>;
  cwd: string;
  fetch: typeof fetch;
  /** Calls the handler at Ctrl-C until the returned function is called. */
  onInterrupt(handler: () => void): () => void;
}

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
