import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
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
}

/** `berth call NAME`: runs one tool of a deployed agent without a model turn. */
export const callCommand = (cli: Cli): Command =>
  command("call <tool>", "run one tool of a deployed agent, without a model")
    .option("--input <json>", "the tool's input: JSON, @file, or - for stdin", "{}")
    .option("--approve", "run it even if it needs approval; you must be allowed to decide")
    .action(async (tool: string, _: object, self: Command) => {
      const options = optionsOf<CallOptions>(self);
      const input = await readInput(cli, options.input);
      const { api } = await connectAgent(cli, options);
      const approve = options.approve ? { approve: true } : {};
      const outcome = await api.callTool(tool, { input, ...approve });
      if (outcome.isError) cli.exitCode = EXIT.failed;
      if (options.json) cli.output.json(outcome);
      else if (typeof outcome.result === "string") cli.output.data(plainText(outcome.result));
      else cli.output.json(outcome.result);
      cli.output.progress(`${outcome.isError ? "failed" : "ok"} in ${outcome.durationMs} ms`);
    });
