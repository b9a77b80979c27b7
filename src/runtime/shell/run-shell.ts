import { stat } from "node:fs/promises";
import type { ShellCall, ShellOutcome } from "../../protocol/shell-rpc";
import { OutputEnds } from "./output-ends";
import { Refusal } from "./refusal";
import { runProgram } from "./run-program";
import type { Workspace } from "./workspace";

/** One pipe for both outputs, so that they come in the order they were written in. */
const JOINED = 'exec "$0" -c "$1" 2>&1';

async function folderOf(workspace: Workspace, given: string): Promise<string> {
  const path = await workspace.resolve(given);
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) throw new Refusal(`${given} is not a folder.`);
  return path;
}

/** Runs a command in `interpreter`, a shell. */
export async function runShell(
  workspace: Workspace,
  interpreter: string,
  call: Extract<ShellCall, { kind: "shell" }>,
  limits: { timeoutMs: number; signal: AbortSignal },
): Promise<ShellOutcome> {
  const output = new OutputEnds();
  const take = (chunk: Buffer) => output.add(chunk);
  const end = await runProgram({
    command: "sh",
    args: ["-c", JOINED, interpreter, call.command],
    cwd: await folderOf(workspace, call.cwd ?? "."),
    onStdout: take,
    onStderr: take,
    ...limits,
  });
  return { ok: true, kind: "shell", changed: true, output: output.output(), end };
}
