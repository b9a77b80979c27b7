import { extname } from "node:path";
import type { ShellCall, ShellOutcome } from "../../protocol/shell-rpc";
import { CodedError } from "../coded-error";
import { withFile } from "./open-file";
import { OutputEnds } from "./output-ends";
import { runProgram } from "./run-program";
import type { Workspace } from "./workspace";

type ScriptCall = Extract<ShellCall, { kind: "script" }>;

const INTERPRETERS: Record<string, string> = {
  ".py": "python3",
  ".js": "node",
  ".mjs": "node",
  ".cjs": "node",
};
const SHEBANG = /^#!\s*(\S+)(?:[ \t]+(\S.*?))?[ \t]*\r?(?:\n|$)/;
const ELF = "\x7fELF";

/** What runs a file, its first line asked before its name; its mode does not matter. */
async function commandOf(name: string, path: string, other: string): Promise<string[]> {
  const first = await withFile(name, path, async (file) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0);
    return buffer.toString("latin1", 0, bytesRead);
  });
  if (first.startsWith(ELF)) return [path];
  const shebang = SHEBANG.exec(first);
  const named = shebang ? [shebang[1], shebang[2]] : [INTERPRETERS[extname(path)] ?? other];
  return [...named.filter((part) => part !== undefined), path];
}

/** Collects a script's result, and stops it once that is too long to be one. */
class ResultText {
  /** Takes memory only where it is written to. */
  private readonly buffer: Buffer;
  private bytes = 0;

  constructor(
    private readonly limit: number,
    private readonly onTooLarge: () => void,
  ) {
    this.buffer = Buffer.allocUnsafeSlow(limit);
  }

  add(chunk: Buffer): void {
    // What does not fit is only counted.
    chunk.copy(this.buffer, Math.min(this.bytes, this.limit));
    this.bytes += chunk.length;
    if (this.bytes > this.limit) this.onTooLarge();
  }

  text(): string {
    if (this.bytes <= this.limit) return this.buffer.toString("utf8", 0, this.bytes);
    throw new CodedError("output_too_large", `The result is longer than ${this.limit} bytes.`);
  }
}

export interface ScriptLimits {
  timeoutMs: number;
  signal: AbortSignal;
  maxResultBytes: number;
}

/** Runs a file of the workspace; what it writes to stdout is its result. */
export async function runScript(
  workspace: Workspace,
  interpreter: string,
  call: ScriptCall,
  { timeoutMs, signal, maxResultBytes }: ScriptLimits,
): Promise<ShellOutcome> {
  const path = await workspace.resolve(call.path);
  const [command = interpreter, ...args] = await commandOf(call.path, path, interpreter);
  const tooLarge = new AbortController();
  const stdout = new ResultText(maxResultBytes, () => tooLarge.abort());
  const stderr = new OutputEnds();
  const end = await runProgram({
    ...{ command, args, timeoutMs, stdin: call.stdin, cwd: workspace.root },
    signal: AbortSignal.any([signal, tooLarge.signal]),
    onStdout: (chunk) => stdout.add(chunk),
    onStderr: (chunk) => stderr.add(chunk),
  });
  const text = stdout.text();
  return { ok: true, kind: "script", changed: true, stdout: text, stderr: stderr.output(), end };
}
