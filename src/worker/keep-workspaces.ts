import type { Platform } from "../server/platform/platform";
import { eraseLocalWorkspace, type LocalWorkspaces, sweepWorkspaces } from "../server/workspaces";

const EVERY_MS = 60_000;

/**
 * Keeps a worker's disk free of workspaces that nobody needs: of an erased session at once, of those
 * it was not told about and of idle ones by the clock. @returns what ends it
 */
export function keepWorkspaces(
  { log, pubsub }: Platform,
  local: LocalWorkspaces,
): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  const run = (work: () => Promise<unknown>) => {
    running = running.then(work).catch((error: unknown) => {
      log.warn({ err: error }, "the sweep of workspaces will be tried again");
    });
  };
  const sweep = () => run(() => sweepWorkspaces(local));
  const unsubscribe = pubsub.subscribe("erased", (sessionId) => {
    run(() => eraseLocalWorkspace(local, sessionId));
  });
  const timer = setInterval(sweep, EVERY_MS);
  sweep();
  return async () => {
    unsubscribe();
    clearInterval(timer);
    await running;
  };
}
