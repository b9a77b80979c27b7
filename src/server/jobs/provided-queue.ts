import { setTimeout as delay } from "node:timers/promises";
import { platform } from "../platform/platform";
import type { JobName, JobPayload } from "./catalog";
import type { QueueBackend } from "./queue-backend";

/** Somebody waits for the answer to the request that adds a job. */
const ENQUEUE_MS = 3_000;

let provided: QueueBackend | undefined;
/** Whether the last job could not be added: an outage is told once. */
let failing = false;

/** Says which queue this process adds to. Without one, the sweepers alone find what is due. */
export function provideQueue(queue: QueueBackend | undefined): void {
  provided = queue;
}

/** Adds a job after the commit of what it is about. A queue that is away costs time, nothing else. */
export async function enqueue<N extends JobName>(name: N, payload: JobPayload<N>): Promise<void> {
  if (!provided) return;
  const { log } = platform();
  try {
    await within(ENQUEUE_MS, provided.enqueue(name, payload));
    if (failing) log.info("jobs are queued again");
    failing = false;
  } catch (error) {
    if (!failing) log.warn({ err: error, job: name }, "jobs are not queued; the sweeps find them");
    failing = true;
  }
}

/** @throws Error when it takes longer; its own end is then of no interest. */
async function within(ms: number, adding: Promise<void>): Promise<void> {
  const patience = new AbortController();
  const late = async () => {
    await delay(ms, undefined, { signal: patience.signal });
    throw new Error(`the queue took longer than ${ms} ms`);
  };
  try {
    await Promise.race([adding, late()]);
  } finally {
    patience.abort();
  }
}

/** Whether this process has a queue that answers. */
export const isQueueHealthy = async (): Promise<boolean> => (await provided?.healthy()) ?? false;
