import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { freePort } from "../../scripts/lib/free-port.mjs";
import { redisServerPath } from "./capabilities";

/** A Redis of one test file: empty, on loopback, keeping nothing. */
export interface RedisServer {
  url: string;
  /** Empties it, as FLUSHALL does. */
  flush(): Promise<void>;
  /** Cuts every connection of the clients; the server goes on. */
  cut(): Promise<void>;
  /** Ends its process and removes its folder. Doing it again does nothing. */
  stop(): Promise<void>;
  /** Kills it and starts an empty one at the same address; `between` runs while there is none. */
  restart(between?: () => Promise<unknown>): Promise<void>;
  /** Process id of the server as it is now, to be stopped and continued. */
  pid(): number;
}

const READY = "Ready to accept connections";

async function launch(command: string, dir: string, port: number): Promise<ChildProcess> {
  const settings = { port, bind: "127.0.0.1", save: "", appendonly: "no", dir };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  await new Promise<void>((resolve, reject) => {
    const collect = (chunk: Buffer) => {
      output += chunk.toString("utf8");
      if (output.includes(READY)) resolve();
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`redis-server did not start:\n${output}`)));
  });
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

/**
 * Starts a `redis-server` of this test file on a random loopback port.
 * @throws Error where none is installed: guard with `describe.skipIf(!redisServerPath)`
 */
export async function startRedis(): Promise<RedisServer> {
  const command = redisServerPath;
  if (!command) throw new Error("redis-server is not installed");
  const dir = await mkdtemp(join(tmpdir(), "berth-redis-"));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child = await launch(command, dir, port);
  const send = async (...[name, ...args]: [string, ...string[]]) => {
    const client = new Redis(url, { maxRetriesPerRequest: 0 });
    try {
      await client.call(name, ...args);
    } finally {
      client.disconnect();
    }
  };
  return {
    url,
    flush: () => send("FLUSHALL"),
    async cut() {
      await send("CLIENT", "KILL", "TYPE", "pubsub");
      await send("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    },
    async stop() {
      await end(child);
      await rm(dir, { recursive: true, force: true });
    },
    async restart(between) {
      await end(child);
      await between?.();
      child = await launch(command, dir, port);
    },
    pid: () => child.pid as number,
  };
}
