import { PassThrough, Readable, Writable } from "node:stream";
import type { CliIo } from "../../src/cli/io";
import { runCli } from "../../src/cli/run-cli";

interface CliCall {
  env?: Record<string, string>;
  cwd?: string;
  /** Piped to stdin; with `keys` stdin is a terminal where these are typed, one chunk each. */
  stdin?: string | Buffer;
  keys?: string[];
  fetch?: typeof fetch;
  stdoutTty?: boolean;
  stderrTty?: boolean;
  onInterrupt?: CliIo["onInterrupt"];
}

function sink(isTTY: boolean) {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return {
    stream: Object.assign(stream, { isTTY }),
    text: () => Buffer.concat(chunks).toString("utf8"),
  };
}

/** A terminal that types the next chunk whenever somebody starts to read. */
function terminal(keys: string[]) {
  const stream = new PassThrough();
  const echo: boolean[] = [];
  const resume = stream.resume.bind(stream);
  stream.resume = () => {
    const next = keys.shift();
    if (next !== undefined) setImmediate(() => stream.write(next));
    return resume();
  };
  const setRawMode = (raw: boolean) => echo.push(!raw);
  return { stream: Object.assign(stream, { isTTY: true, setRawMode }), echo };
}

/** Runs one command line in this process and returns all it wrote. */
export async function callCli(args: string[], call: CliCall = {}) {
  const [stdout, stderr] = [sink(call.stdoutTty ?? false), sink(call.stderrTty ?? false)];
  const tty = call.keys ? terminal([...call.keys]) : undefined;
  const piped = Readable.from(call.stdin === undefined ? [] : [Buffer.from(call.stdin)]);
  const exitCode = await runCli(args, {
    stdin: tty?.stream ?? piped,
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: call.env ?? {},
    cwd: call.cwd ?? process.cwd(),
    fetch: call.fetch ?? fetch,
    onInterrupt: call.onInterrupt ?? (() => () => undefined),
  });
  return { exitCode, stdout: stdout.text(), stderr: stderr.text(), echo: tty?.echo ?? [] };
}
