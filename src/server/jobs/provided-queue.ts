import { platform } from "../platform/platform";
import type { JobName, JobPayload } from "./catalog";
import type { QueueBackend } from "./queue-backend";

let provided: QueueBackend | undefined;

/** Says which queue this process adds to. Without one, the sweepers alone find what is due. */
export function provideQueue(queue: QueueBackend | undefined): void {
  provided = queue;
}

/** Adds a job after the commit of what it is about. A queue that is away costs time, nothing else. */
export async function enqueue<N extends JobName>(name: N, payload: JobPayload<N>): Promise<void> {
  try {
    await provided?.enqueue(name, payload);
  } catch (error) {
    platform().log.warn({ err: error, job: name }, "a job was not queued; the sweep will find it");
  }
}

/** Whether this process has a queue that answers. */
export const isQueueHealthy = async (): Promise<boolean> => (await provided?.healthy()) ?? false;
