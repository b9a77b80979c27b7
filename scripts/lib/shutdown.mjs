import { say } from "./phase.mjs";
import { stopCommands } from "./run-command.mjs";

const IMPATIENT_MS = 1_000;

/**
 * What this program must undo before it ends, in reverse order of registration. Ctrl-C, SIGTERM
 * and a closed terminal run it and exit with `code`; a second Ctrl-C gives up waiting.
 */
export function createShutdown({ code = 0 } = {}) {
  const steps = [];
  let running;
  let begunAt = 0;

  const runSteps = async () => {
    stopCommands();
    for (const { name, undo } of steps.reverse()) {
      if (name) say(`  stopping ${name}`);
      await undo();
    }
  };
  const run = () => {
    running ??= runSteps();
    return running;
  };
  const onSignal = async () => {
    // npm passes on the Ctrl-C that the terminal already sent: only a later one is a second one.
    if (running && Date.now() - begunAt < IMPATIENT_MS) return;
    if (running) process.exit(1);
    begunAt = Date.now();
    say("\n▸ Stopping …");
    await run();
    say("  stopped");
    process.exit(code);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, onSignal);

  return {
    /** `name` is shown while `undo` runs; without one it runs silently. */
    add: (name, undo) => steps.push({ name, undo }),
    /** Whether the end has begun, so that failures caused by it are not news. */
    begun: () => running !== undefined,
    run,
  };
}
