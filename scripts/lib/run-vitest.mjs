import { spawn } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "./root.mjs";
import { readJson } from "./state-file.mjs";

/**
 * Runs vitest with its usual output. Returns `{ done, stop }`: `done` resolves to the exit code
 * and the JSON report (undefined when it wrote none), `stop` ends vitest and its workers.
 */
export function runVitest({ args, env, dir }) {
  const outputFile = join(dir, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${outputFile}`];
  const child = spawn(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", ...reporters, ...args],
    // Its own process group, so that stopping reaches the workers too.
    { cwd: ROOT, env, stdio: ["ignore", "inherit", "inherit"], detached: true },
  );
  const done = new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, report: readJson(outputFile) }));
  });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, "SIGTERM");
    await done;
  };
  return { done, stop };
}
