import { type Clock, systemClock } from "./clock";
import { createPrisma } from "./db";
import type { Env } from "./env";
import { createLogger } from "./log";
import { openPool } from "./open-pool";
import { type Platform, setPlatform } from "./platform";
import { createPostgresPubSub } from "./pubsub-postgres";
import { createRedisPubSub } from "./pubsub-redis";
import { RedisConnections } from "./redis";

/** How long somebody waits for a connection to be free or to be made. */
const CONNECT_MS = 10_000;

/**
 * Opens the pools and subscriptions of this process; wakes go through Redis where there is one.
 * @returns the platform and `stop`, which closes them in order.
 */
export async function startPlatform(
  name: string,
  env: Env,
  overrides: { clock?: Clock } = {},
): Promise<{ platform: Platform; stop: () => Promise<void> }> {
  const log = createLogger(name, env.BERTH_LOG_LEVEL);
  const pool = openPool(
    {
      connectionString: env.DATABASE_URL,
      max: env.DATABASE_POOL,
      connectionTimeoutMillis: CONNECT_MS,
    },
    { log, lost: "an idle database connection failed" },
  );
  const prisma = createPrisma(pool);
  const redis = env.REDIS_URL ? new RedisConnections({ url: env.REDIS_URL, log }) : undefined;
  const pubsub = redis
    ? createRedisPubSub({ redis, log })
    : createPostgresPubSub({ connectionString: env.DATABASE_URL, log });
  await pubsub.start();
  const platform: Platform = {
    env,
    log,
    clock: overrides.clock ?? systemClock,
    pool,
    prisma,
    pubsub,
    redis,
  };
  setPlatform(platform);
  const stop = async () => {
    await pubsub.close();
    redis?.close();
    await prisma.$disconnect();
    await pool.end();
    setPlatform(undefined);
  };
  return { platform, stop };
}
