import type { Pool } from "pg";
import { type Clock, systemClock } from "./clock";
import type { PrismaClient } from "./db";
import type { Env } from "./env";
import type { Logger } from "./log";
import type { PubSub } from "./pubsub";
import type { RedisConnections } from "./redis";

/** What a process has one of. Made by its `main.ts`, used by every module of the server. */
export interface Platform {
  readonly env: Env;
  readonly log: Logger;
  readonly clock: Clock;
  readonly pool: Pool;
  readonly prisma: PrismaClient;
  readonly pubsub: PubSub;
  /** Where REDIS_URL names one; without it Postgres carries wakes and jobs. */
  readonly redis: RedisConnections | undefined;
}

// Next bundles its own copy of the server modules: both copies meet on globalThis.
const KEY = Symbol.for("berth.platform");
const holder = globalThis as { [KEY]?: Platform };

/** The process's platform. @throws Error before `setPlatform`. */
export function platform(): Platform {
  const current = holder[KEY];
  if (!current) throw new Error("the platform is not started: call startPlatform() first");
  return current;
}

export function setPlatform(next: Platform | undefined): void {
  if (next) holder[KEY] = next;
  else delete holder[KEY];
}

/** The current time, by the process's clock. */
export const now = (): Date => (holder[KEY]?.clock ?? systemClock).now();
