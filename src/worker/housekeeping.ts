import { sweepArtifacts } from "../server/artifacts";
import { sweepKeys } from "../server/idempotency";
import type { Platform } from "../server/platform/platform";
import { expireSessions, finishErasures } from "../server/retention";

const EVERY_MS = 60_000;

/** What is done once a minute, by every worker: it does no harm done twice. @returns what ends it */
export function startHousekeeping({ log }: Platform): () => Promise<void> {
  let running = Promise.resolve();
  const keep = async () => {
    await sweepKeys();
    await sweepArtifacts();
    await finishErasures();
    await expireSessions();
  };
  const timer = setInterval(() => {
    running = running.then(keep).catch((error: unknown) => {
      log.warn({ err: error }, "housekeeping will be tried again");
    });
  }, EVERY_MS);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
