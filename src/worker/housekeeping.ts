import { sweepArtifacts } from "../server/artifacts";
import { sweepIncoming } from "../server/blobs";
import { sweepKeys } from "../server/idempotency";
import type { Platform } from "../server/platform/platform";
import { expireSessions, finishErasures } from "../server/retention";

const EVERY_MS = 60_000;

/**
 * What is done at the start and once a minute, by every worker: it does no harm done twice.
 * @returns what ends it
 */
export function startHousekeeping({ log }: Platform): () => Promise<void> {
  let running = Promise.resolve();
  const keep = async () => {
    await sweepKeys();
    await sweepArtifacts();
    await finishErasures();
    await expireSessions();
    await sweepIncoming();
  };
  const look = () => {
    running = running.then(keep).catch((error: unknown) => {
      log.warn({ err: error }, "housekeeping will be tried again");
    });
  };
  look();
  const timer = setInterval(look, EVERY_MS);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
