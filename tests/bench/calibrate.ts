import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { Agent, request } from "undici";
import { startForLine } from "./child-line";

/** What this machine does at the time of the run: the measure for the bars' ratios, per second. */
export interface Calibration {
  /** Requests of 32 connections to a bare Node server. */
  hello: number;
  /** Durable single-row commits of one connection. */
  commit: number;
  /** SHA-256 of 1 KiB on one thread. */
  hash: number;
}

const HELLO_CONNECTIONS = 32;

/** How often per second `work` ends when it is done again and again for `ms`. */
async function perSecond(ms: number, lanes: number, work: () => Promise<unknown>) {
  const start = performance.now();
  let done = 0;
  const lane = async () => {
    while (performance.now() - start < ms) {
      await work();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return (done * 1000) / (performance.now() - start);
}

async function helloRate(ms: number): Promise<number> {
  const server = await startForLine([fileURLToPath(new URL("hello-server.mjs", import.meta.url))]);
  const dispatcher = new Agent({ connections: HELLO_CONNECTIONS });
  const url = `http://127.0.0.1:${server.line}/`;
  const get = async () => (await request(url, { dispatcher })).body.dump();
  try {
    await perSecond(ms / 4, HELLO_CONNECTIONS, get);
    return await perSecond(ms, HELLO_CONNECTIONS, get);
  } finally {
    await dispatcher.close();
    server.stop();
  }
}

async function commitRate(ms: number, databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("CREATE TABLE IF NOT EXISTS bench_commit (at timestamptz, data json)");
    const data = JSON.stringify({ text: "x".repeat(1000) });
    const append = () =>
      client.query({
        name: "append",
        text: "INSERT INTO bench_commit VALUES (now(), $1)",
        values: [data],
      });
    return await perSecond(ms, 1, append);
  } finally {
    await client.query("DROP TABLE IF EXISTS bench_commit");
    await client.end();
  }
}

function hashRate(ms: number): number {
  const block = Buffer.alloc(1024, 7);
  const start = performance.now();
  let done = 0;
  while (performance.now() - start < ms) {
    for (let i = 0; i < 100; i += 1) createHash("sha256").update(block).digest();
    done += 100;
  }
  return (done * 1000) / (performance.now() - start);
}

/** Measures the machine for about three times `ms`. */
export async function calibrate(databaseUrl: string, ms: number): Promise<Calibration> {
  return {
    hello: await helloRate(ms),
    commit: await commitRate(ms, databaseUrl),
    hash: hashRate(ms),
  };
}
