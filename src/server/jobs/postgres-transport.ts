import { createPostgresBackend, type PostgresConnectionOptions, Queue, Worker } from "bullmq";
import type { Logger } from "../platform/log";
import { openPool } from "../platform/open-pool";
import { type Transport, WORKER_TIMES } from "./transport";

/** Two connections to listen and a few to work with, shared by all queues of a process. */
const CONNECTIONS = 6;

/** BullMQ in the schema `bullmq` that our migrations made. */
export function createPostgresTransport(databaseUrl: string, log: Logger): Transport {
  const pool = openPool(
    { connectionString: databaseUrl, max: CONNECTIONS, options: "-c search_path=bullmq" },
    { log, lost: "a queue connection failed" },
  );
  // BullMQ describes the part of a pool that it uses in words of its own.
  const connection = pool as unknown as PostgresConnectionOptions;
  return {
    openQueue: async (name) => new Queue(name, { connection }, createPostgresBackend),
    openWorker: (name, { concurrency, run }) =>
      new Worker(
        name,
        (job) => run(job.data),
        { connection, concurrency, ...WORKER_TIMES },
        createPostgresBackend,
      ),
    isAway: () => false,
    mustBeUp: true,
    ping: () => pool.query("SELECT 1"),
    close: () => pool.end(),
  };
}
