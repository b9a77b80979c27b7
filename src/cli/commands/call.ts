import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { DirectCall, ToolOutcome } from "../../sdk/client";
import { type Cli, command, optionsOf } from "../cli";
import { connectAgent } from "../config";
import { EXIT, usageError } from "../exit-code";
import { plainText } from "../plain-text";
import { decodeUtf8, readStdin } from "../read-stdin";

async function inputText(cli: Cli, given: string): Promise<string> {
  if (given === "-") return decodeUtf8(await readStdin(cli.io.stdin), "The input");
  if (!given.startsWith("@")) return given;
  const file = given.slice(1);
  const bytes = await readFile(resolve(cli.io.cwd, file)).catch((error: Error) => {
    throw usageError(`${file} cannot be read: ${error.message}`);
  });
  return decodeUtf8(bytes, file);
}

/** The tool's input from `--input`: JSON, `@file` or `-` for stdin. */
async function readInput(cli: Cli, given: string): Promise<unknown> {
  const text = await inputText(cli, given);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usageError(
      `--input is not JSON: ${error instanceof Error ? error.message : String(error)}`,
      `--input '{"city":"Oslo"}', --input @file.json, or --input - for stdin.`,
    );
  }
}

interface CallOptions {
  input: string;
  approve?: boolean;
  session?: string;
  continuationToken?: string;
  dryRun?: boolean;
  asOf?: string;
}

const callOf = (options: CallOptions, input: unknown): DirectCall => ({
  input,
  ...(options.approve ? { approve: true } : {}),
  ...(options.session === undefined ? {} : { sessionId: options.session }),
  ...(options.continuationToken === undefined
    ? {}
    : { continuationToken: options.continuationToken }),
  ...(options.dryRun ? { dryRun: true } : {}),
  ...(options.asOf === undefined ? {} : { asOf: options.asOf }),
});

/** What a person is told of an outcome beside its result. */
function statusOf({ isError, durationMs, stubbed, scratchWorkspace }: ToolOutcome): string {
  const notes = [
    ...(stubbed ? ["a dry run, the tool did not run"] : []),
    ...(scratchWorkspace ? ["in an empty workspace, the session's could not be made"] : []),
  ];
  return [`${isError ? "failed" : "ok"} in ${durationMs} ms`, ...notes].join("; ");
}

/** `berth call NAME`: runs one tool of a deployed agent without a model turn. */
export const callCommand = (cli: Cli): Command =>
  command("call <tool>", "run one tool of a deployed agent, without a model")
    .option("--input <json>", "the tool's input: JSON, @file, or - for stdin", "{}")
    .option("--approve", "run it even if it needs approval; you must be allowed to decide")
    .option("--session <id>", "run it in a session of yours: its workspace and its log")
    .option("--continuation-token <token>", "the session by its token, <channelId>:<key>")
    .option("--dry-run", "run it only if it reads; what it would change is answered in its place")
    .option("--as-of <instant>", "freeze it at an instant, ISO 8601 with a timezone")
    .action(async (tool: string, _: object, self: Command) => {
      const options = optionsOf<CallOptions>(self);
      const input = await readInput(cli, options.input);
      const { api } = await connectAgent(cli, options);
      const outcome = await api.callTool(tool, callOf(options, input));
      if (outcome.isError) cli.exitCode = EXIT.failed;
      if (options.json) cli.output.json(outcome);
      else if (typeof outcome.result === "string") cli.output.data(plainText(outcome.result));
      else cli.output.json(outcome.result);
      cli.output.progress(statusOf(outcome));
    });
