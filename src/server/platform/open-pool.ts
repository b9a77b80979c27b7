import pg from "pg";
import type { Logger } from "./log";

/**
 * A pool whose connections may be lost at any moment: who uses one then sees its query fail, and
 * the process goes on.
 * @param lost what the log says of a connection that fails while nobody uses it
 */
export function openPool(options: pg.PoolConfig, { log, lost }: { log: Logger; lost: string }) {
  const pool = new pg.Pool(options);
  // The pool listens only while a connection is idle; unheard, an error would end the process.
  pool.on("connect", (client) => client.on("error", () => undefined));
  // The error carries the whole client, which is nobody's to read.
  pool.on("error", ({ message }) => log.warn({ reason: message }, lost));
  return pool;
}
