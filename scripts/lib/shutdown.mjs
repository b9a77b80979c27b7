import { say } from "./phase.mjs";
import { stopCommands } from "./run-command.mjs";

/**
 * What this program must undo before it ends, in reverse order of registration. Ctrl-C, SIGTERM
 * and a closed terminal run it and exit with 0; a second Ctrl-C gives up waiting.
 */
export function createShutdown() {
  const steps = [];
  let running;

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
    if (running) process.exit(1);
    say("\n▸ Stopping …");
    await run();
    say("  stopped");
    process.exit(0);
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
