import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { say } from "./phase.mjs";
import { ROOT } from "./root.mjs";

const PRELOAD = pathToFileURL(join(ROOT, "scripts/lib/exit-with-parent.mjs")).href;
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 15_000;
/** One that ran this long was healthy: the next crash starts from the short delay again. */
const HEALTHY_MS = 30_000;
const DRAIN_MS = 30_000;

/**
 * Keeps one program running: a crash is reported and followed by a restart after a growing delay.
 * `onChange()` is called for every start and for every message of the program, the last of which
 * `told()` returns. Returns `{ pid(), told(), restart(), stop() }`; `stop` sends SIGTERM and waits
 * for the end, at most 30 s before it kills.
 */
export function keepRunning({ name, file, env, onChange }) {
  let child;
  let message;
  let stopping = false;
  let delay = FIRST_DELAY_MS;
  let timer;

  const start = () => {
    const startedAt = Date.now();
    const started = spawn(process.execPath, ["--enable-source-maps", "--import", PRELOAD, file], {
      cwd: ROOT,
      env,
      // Its own group: Ctrl-C reaches `up` alone, which then stops everything in order.
      detached: true,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    child = started;
    message = undefined;
    started.on("message", (told) => {
      if (child !== started) return;
      message = told;
      onChange();
    });
    started.on("exit", (code, signal) => {
      if (stopping || child !== started) return;
      if (Date.now() - startedAt > HEALTHY_MS) delay = FIRST_DELAY_MS;
      say(`! ${name} ended (${signal ?? `exit code ${code}`}); starting it again in ${delay} ms`);
      timer = setTimeout(start, delay);
      delay = Math.min(delay * 2, LONGEST_DELAY_MS);
    });
    onChange();
  };

  const end = async () => {
    clearTimeout(timer);
    const ending = child;
    if (ending.exitCode !== null || ending.signalCode !== null) return;
    const gone = new Promise((resolve) => ending.once("exit", resolve));
    ending.kill("SIGTERM");
    const kill = setTimeout(() => ending.kill("SIGKILL"), DRAIN_MS);
    await gone;
    clearTimeout(kill);
  };

  start();
  return {
    pid: () => child.pid,
    told: () => message,
    async restart() {
      const ending = end();
      child = undefined;
      await ending;
      if (!stopping) start();
    },
    async stop() {
      stopping = true;
      if (child) await end();
    },
  };
}
