import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../scripts/lib/free-port.mjs";

/** A running installation, started as a person would start it. */
export interface Product {
  url: string;
  org: string;
  email: string;
  password: string;
  apiKey: string;
  /** Process ids as they are now: a service that crashed has another one after its restart. */
  pids(): Promise<{ web: number; worker: number; gateway?: number; postgres?: number }>;
  stateDir: string;
  /** Everything the installation has printed so far. */
  output(): string;
  /** Stops it as Ctrl-C does and removes its state. */
  stop(): Promise<void>;
}

const READY = "Ctrl-C stops everything.";

/**
 * Starts the built product with its own state and port (`npm run up`) and waits until it is
 * usable. `env` adds settings, for example BERTH_PRIVATE_TARGETS.
 * @throws Error with its output when it ends before that.
 */
export async function startProduct(env: Record<string, string> = {}): Promise<Product> {
  const parent = await mkdtemp(join(tmpdir(), "berth-product-"));
  await chmod(parent, 0o711); // as root, Postgres runs as somebody else and must get through
  const stateDir = join(parent, "state");
  const port = await freePort();
  const { DATABASE_URL: _app, DATABASE_MIGRATE_URL: _owner, ...inherited } = process.env;
  const args = ["scripts/up.mjs", "--port", String(port), "--state", stateDir];
  const child = spawn(process.execPath, args, {
    env: { ...inherited, NODE_ENV: "production", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  let output = "";
  const ready = new Promise<void>((resolve, reject) => {
    const collect = (chunk: Buffer) => {
      output += chunk.toString("utf8");
      if (output.includes(READY)) resolve();
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    exited.then(() => reject(new Error(`The product did not start:\n${output}`)), reject);
  });
  const stop = async () => {
    child.kill("SIGTERM");
    await exited;
    await rm(parent, { recursive: true, force: true });
  };
  try {
    await ready;
  } catch (error) {
    await rm(parent, { recursive: true, force: true });
    throw error;
  }
  const record = async () => JSON.parse(await readFile(join(stateDir, "up.json"), "utf8"));
  const { pids: _pids, ...login } = await record();
  return {
    ...login,
    pids: async () => (await record()).pids,
    stateDir,
    output: () => output,
    stop,
  };
}
