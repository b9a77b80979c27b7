import {
  createPostgresBackend,
  type JobsOptions,
  type PostgresConnectionOptions,
  Queue,
  Worker,
} from "bullmq";
import pg from "pg";
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

// BullMQ describes the part of a pool that it uses in words of its own.
const connectionOf = (pool: pg.Pool) => pool as unknown as PostgresConnectionOptions;

const openQueue = (name: string, pool: pg.Pool) =>
  new Queue(name, { connection: connectionOf(pool) }, createPostgresBackend);

const openWorker = (
  name: string,
  pool: pg.Pool,
  concurrency: number,
  run: (data: unknown) => Promise<void>,
) =>
  new Worker(
    name,
    (job) => run(job.data),
    { connection: connectionOf(pool), concurrency },
    createPostgresBackend,
  );

interface Options {
  connectionString: string;
  log: Logger;
  /** Kept in front of every queue's name, so that tests share a database. */
  prefix?: string;
}

/** Two connections to listen and a few to work with, shared by all queues of a process. */
const CONNECTIONS = 6;
const KEEP_FAILED_S = 7 * 24 * 3600;

/** BullMQ on Postgres, in the schema `bullmq` that our migrations made. */
export const createBullmqBackend = (options: Options): QueueBackend => new BullmqBackend(options);

class BullmqBackend implements QueueBackend {
  readonly #options: Options;
  readonly #pool: pg.Pool;
  readonly #queues = new Map<JobName, ReturnType<typeof openQueue>>();
  readonly #workers: ReturnType<typeof openWorker>[] = [];

  constructor(options: Options) {
    this.#options = options;
    this.#pool = new pg.Pool({
      connectionString: options.connectionString,
      max: CONNECTIONS,
      options: "-c search_path=bullmq",
    });
    this.#pool.on("error", (error) =>
      options.log.warn({ err: error }, "a queue connection failed"),
    );
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
    await this.#queue(name).add(name, parsePayload(name, payload), options);
  }

  async work(handlers: JobHandlers): Promise<void> {
    for (const name of JOB_NAMES) this.#workers.push(this.#worker(name, handlers));
    await Promise.all(this.#workers.map((worker) => worker.waitUntilReady()));
  }

  async healthy(): Promise<boolean> {
    try {
      await this.#pool.query("SELECT 1");
      return true;
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
    await this.#pool.end();
  }

  #name(name: JobName): string {
    const { prefix } = this.#options;
    return prefix === undefined ? name : `${prefix}-${name}`;
  }

  #queue(name: JobName) {
    const known = this.#queues.get(name);
    if (known) return known;
    const queue = openQueue(this.#name(name), this.#pool);
    queue.on("error", (error) => this.#options.log.warn({ err: error, name }, "the queue failed"));
    this.#queues.set(name, queue);
    return queue;
  }

  #worker<N extends JobName>(name: N, handlers: JobHandlers) {
    const { log } = this.#options;
    const run = (data: unknown) => handlers[name](parsePayload(name, data));
    const { concurrency } = policyOf(name);
    const worker = openWorker(this.#name(name), this.#pool, concurrency, run);
    worker.on("error", (error) => log.warn({ err: error, name }, "the job worker failed"));
    worker.on("failed", (job, error) => {
      log.warn({ err: error, name, attempt: job?.attemptsMade }, "a job failed");
    });
    return worker;
  }
}
