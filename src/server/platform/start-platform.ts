import pg from "pg";
import { type Clock, systemClock } from "./clock";
import { createPrisma } from "./db";
import type { Env } from "./env";
import { createLogger } from "./log";
import { type Platform, setPlatform } from "./platform";
import { createPostgresPubSub } from "./pubsub-postgres";

/**
 * Opens the pools and subscriptions of this process.
 * @returns the platform and `stop`, which closes them in order.
 */
export async function startPlatform(
  name: string,
  env: Env,
  overrides: { clock?: Clock } = {},
): Promise<{ platform: Platform; stop: () => Promise<void> }> {
  const log = createLogger(name, env.BERTH_LOG_LEVEL);
  const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: env.DATABASE_POOL });
  pool.on("error", (error) => log.warn({ err: error }, "an idle database connection failed"));
  const prisma = createPrisma(pool);
  const pubsub = createPostgresPubSub({ connectionString: env.DATABASE_URL, log });
  await pubsub.start();
  const platform: Platform = {
    env,
    log,
    clock: overrides.clock ?? systemClock,
    pool,
    prisma,
    pubsub,
  };
  setPlatform(platform);
  const stop = async () => {
    await pubsub.close();
    await prisma.$disconnect();
    await pool.end();
    setPlatform(undefined);
  };
  return { platform, stop };
}
