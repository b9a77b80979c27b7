import type { Logger } from "../platform/log";
import type { RedisConnections } from "../platform/redis";
import { BullmqBackend } from "./bullmq-backend";
import { createPostgresTransport } from "./postgres-transport";
import type { QueueBackend } from "./queue-backend";
import { createRedisTransport } from "./redis-transport";

interface Options {
  databaseUrl: string;
  /** Keeps the jobs where there is one; else Postgres does. */
  redis: RedisConnections | undefined;
  log: Logger;
  /** Kept in front of every queue's name, so that tests share a store. */
  prefix?: string;
}

/** The queue of this process. */
export function createQueueBackend({ databaseUrl, redis, log, prefix }: Options): QueueBackend {
  const transport = redis
    ? createRedisTransport(redis, "berth")
    : createPostgresTransport(databaseUrl, log);
  return new BullmqBackend({ transport, log, prefix });
}
