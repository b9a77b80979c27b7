import type { Job, JobsOptions } from "bullmq";

/** The part of a BullMQ queue that we use, wherever it is kept. */
export interface TransportQueue {
  waitUntilReady(): Promise<unknown>;
  add(name: string, data: unknown, options: JobsOptions): Promise<unknown>;
  on(event: "error", listener: (error: Error) => void): unknown;
  close(): Promise<void>;
}

/** The part of a BullMQ worker that we use. */
export interface TransportWorker {
  waitUntilReady(): Promise<unknown>;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "failed", listener: (job: Job | undefined, error: Error) => void): unknown;
  close(): Promise<void>;
}

export interface TransportWork {
  /** Jobs at a time. */
  concurrency: number;
  run: (data: unknown) => Promise<void>;
}

/** Where BullMQ keeps its queues. */
export interface Transport {
  /** @throws Error when the store is away */
  openQueue(name: string): Promise<TransportQueue>;
  openWorker(name: string, work: TransportWork): TransportWorker;
  /** Whether an error only says that the store is away, which the store's own connections tell. */
  isAway(error: Error): boolean;
  /** Whether workers must be up before the process goes on. */
  readonly mustBeUp: boolean;
  /** Rejects when the store does not answer. */
  ping(): Promise<unknown>;
  /** Closes every connection, answered or not. */
  close(): Promise<void>;
}

/** A killed worker's job is taken up by another within 15 s. */
export const WORKER_TIMES = { lockDuration: 10_000, stalledInterval: 5_000, runRetryDelay: 1_000 };
