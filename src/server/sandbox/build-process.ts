import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { BuildJob, BuildResult } from "./build-job";
import { processTree, residentMb } from "./process-tree";

const WATCHDOG_MS = 250;
const MAX_LINE = 16_384;
const MAX_LINES = 20_000;

type Killed = NonNullable<BuildResult["killed"]>;

function forwardLines(child: ChildProcess, job: BuildJob): void {
  let lines = 0;
  const forward = (stream: "stdout" | "stderr", input: Readable | null) => {
    if (!input) return;
    createInterface({ input }).on("line", (line) => {
      lines++;
      if (lines <= MAX_LINES) job.onLine(line.slice(0, MAX_LINE), stream);
    });
  };
  forward("stdout", child.stdout);
  forward("stderr", child.stderr);
}

/** Follows a build's process to its end, within its time and memory. Resolves once it is gone. */
export function followBuild(
  child: ChildProcess,
  job: BuildJob,
  control: { observe?(): void; killAll(): void },
): Promise<BuildResult> {
  const startedAt = performance.now();
  let killed: Killed | undefined;
  const kill = (why: Killed) => {
    killed ??= why;
    control.killAll();
  };
  forwardLines(child, job);
  const timer = setTimeout(() => kill("timeout"), job.timeoutMs);
  const watchdog = setInterval(() => {
    control.observe?.();
    if (residentMb(processTree(child.pid ?? 0)) > job.memoryMb) kill("memory");
  }, WATCHDOG_MS);
  const onAbort = () => kill("cancelled");
  job.signal?.addEventListener("abort", onAbort, { once: true });
  if (job.signal?.aborted) onAbort();
  return new Promise<BuildResult>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) =>
      resolve({
        exitCode: killed ? null : exitCode,
        durationMs: performance.now() - startedAt,
        ...(killed ? { killed } : {}),
      }),
    );
  }).finally(() => {
    clearTimeout(timer);
    clearInterval(watchdog);
    job.signal?.removeEventListener("abort", onAbort);
  });
}
