import { setTimeout as delay } from "node:timers/promises";
import type { JobsOptions } from "bullmq";
import { newUuid } from "../platform/id";
import type { Logger } from "../platform/log";
import {
  JOB_NAMES,
  type JobHandlers,
  type JobName,
  type JobPayload,
  parsePayload,
  policyOf,
} from "./catalog";
import type { EnqueueOptions, QueueBackend } from "./queue-backend";
import type { Transport, TransportQueue, TransportWorker } from "./transport";

const KEEP_FAILED_S = 7 * 24 * 3600;
/** How long a store that is away may keep workers from closing once their jobs have ended. */
const CLOSE_MS = 3_000;

interface Options {
  transport: Transport;
  log: Logger;
  /** Kept in front of every queue's name, so that tests share a store. */
  prefix?: string | undefined;
}

/** The port with BullMQ, wherever that keeps its queues. */
export class BullmqBackend implements QueueBackend {
  readonly #options: Options;
  readonly #queues = new Map<JobName, Promise<TransportQueue>>();
  readonly #workers: TransportWorker[] = [];
  readonly #running = new Set<Promise<void>>();

  constructor(options: Options) {
    this.#options = options;
  }

  async enqueue<N extends JobName>(
    name: N,
    payload: JobPayload<N>,
    { key, delayMs }: EnqueueOptions = {},
  ): Promise<void> {
    const { attempts, backoffMs } = policyOf(name);
    const options: JobsOptions = {
      jobId: newUuid(), // else BullMQ makes a sequence for the queue, which our role may not
      attempts,
      backoff: { type: "exponential", delay: backoffMs },
      removeOnComplete: true,
      removeOnFail: { age: KEEP_FAILED_S },
      ...(key === undefined ? {} : { deduplication: { id: key } }),
      ...(delayMs === undefined ? {} : { delay: delayMs }),
    };
    const data = parsePayload(name, payload);
    const queue = await this.#queue(name);
    await queue.add(name, data, options);
  }

  async work(handlers: JobHandlers): Promise<void> {
    for (const name of JOB_NAMES) this.#workers.push(this.#worker(name, handlers));
    const up = Promise.all(this.#workers.map((worker) => worker.waitUntilReady()));
    if (this.#options.transport.mustBeUp) await up;
    else up.catch((error) => this.#tell(error, "the job workers are not up"));
  }

  async healthy(): Promise<boolean> {
    try {
      await this.#options.transport.ping();
      return true;
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    const closed = this.#closeAll();
    // The jobs' own end is waited for without a limit; BullMQ waits for its store as well.
    const patience = new AbortController();
    const limit = Promise.allSettled(this.#running).then(() =>
      delay(CLOSE_MS, undefined, { signal: patience.signal }).catch(() => undefined),
    );
    await Promise.race([closed, limit]);
    patience.abort();
    await this.#options.transport.close();
  }

  async #closeAll(): Promise<void> {
    try {
      await Promise.all(this.#workers.map((worker) => worker.close()));
      await Promise.all([...this.#queues.values()].map(async (queue) => (await queue).close()));
    } catch (error) {
      this.#options.log.warn({ err: error }, "the queue did not close well");
    }
  }

  #name(name: JobName): string {
    const { prefix } = this.#options;
    return prefix === undefined ? name : `${prefix}-${name}`;
  }

  async #queue(name: JobName): Promise<TransportQueue> {
    const opening = this.#queues.get(name) ?? this.#open(name);
    this.#queues.set(name, opening);
    try {
      return await opening;
    } catch (error) {
      this.#queues.delete(name); // one that did not open never will: the next is made anew
      throw error;
    }
  }

  async #open(name: JobName): Promise<TransportQueue> {
    const queue = await this.#options.transport.openQueue(this.#name(name));
    queue.on("error", (error) => this.#tell(error, "the queue failed", name));
    await queue.waitUntilReady();
    return queue;
  }

  #worker<N extends JobName>(name: N, handlers: JobHandlers): TransportWorker {
    const run = (data: unknown) => this.#track(handlers[name](parsePayload(name, data)));
    const { concurrency } = policyOf(name);
    const worker = this.#options.transport.openWorker(this.#name(name), { concurrency, run });
    worker.on("error", (error) => this.#tell(error, "the job worker failed", name));
    worker.on("failed", (job, error) => {
      this.#options.log.warn({ err: error, name, attempt: job?.attemptsMade }, "a job failed");
    });
    return worker;
  }

  async #track(job: Promise<void>): Promise<void> {
    this.#running.add(job);
    try {
      await job;
    } finally {
      this.#running.delete(job);
    }
  }

  #tell(error: Error, text: string, name?: JobName): void {
    const { transport, log } = this.#options;
    if (!transport.isAway(error)) log.warn({ err: error, name }, text);
  }
}
