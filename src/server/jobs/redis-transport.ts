import { Queue, Worker } from "bullmq";
import { connected, type RedisConnections } from "../platform/redis";
import { type Transport, WORKER_TIMES } from "./transport";

const COMMAND_MS = 2_000;

/** What ioredis and the system say when there is no connection, as opposed to an answer. */
const AWAY = /Connection is closed|Command timed out|isn't writeable|max retries per request/i;

/** BullMQ in Redis. Adding fails at once while Redis is away; workers wait for it to come back. */
export function createRedisTransport(redis: RedisConnections, prefix: string): Transport {
  const producer = redis.open({
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_MS,
  });
  const opened = connected(producer);
  let consumer: ReturnType<RedisConnections["open"]> | undefined;
  return {
    async openQueue(name) {
      await opened;
      // A queue would wait for the connection, and whoever adds with it.
      if (producer.status !== "ready") throw new Error("Redis is away");
      return new Queue(name, { connection: producer, prefix });
    },
    openWorker(name, { concurrency, run }) {
      consumer ??= redis.open({ maxRetriesPerRequest: null });
      const settings = { connection: consumer, prefix, concurrency, ...WORKER_TIMES };
      return new Worker(name, (job) => run(job.data), settings);
    },
    isAway: (error) => "syscall" in error || AWAY.test(error.message),
    mustBeUp: false,
    async ping() {
      await opened;
      await producer.ping();
    },
    close() {
      producer.disconnect();
      consumer?.disconnect();
      return Promise.resolve();
    },
  };
}
