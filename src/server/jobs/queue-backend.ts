import type { JobHandlers, JobName, JobPayload } from "./catalog";

export interface EnqueueOptions {
  /** Jobs with one key wait in the queue once, however often they are added. */
  key?: string;
  delayMs?: number;
}

/** The port for jobs that must be retried. It may lose everything at any time: Postgres knows. */
export interface QueueBackend {
  enqueue<N extends JobName>(
    name: N,
    payload: JobPayload<N>,
    options?: EnqueueOptions,
  ): Promise<void>;
  /** Runs jobs in this process until `close`. Call once. */
  work(handlers: JobHandlers): Promise<void>;
  /** Whether the queue answers. */
  healthy(): Promise<boolean>;
  /** Lets running jobs end, then closes every connection. */
  close(): Promise<void>;
}
