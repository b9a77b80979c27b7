import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chown, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "./free-port.mjs";
import { postgresBinaries, postgresUser } from "./postgres-binaries.mjs";
import { Problem } from "./problem.mjs";

const ADMIN = "postgres";
const START_TIMEOUT_MS = 30_000;
const POLL_MS = 50;

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const urlOf = (port, password) => `postgresql://${ADMIN}:${password}@127.0.0.1:${port}/postgres`;

/** Whether a Postgres answers at `url` with that password. */
async function answers(url) {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on("error", () => undefined); // a server that stops in between only means "no"
  try {
    await client.connect();
    await client.query("SELECT 1");
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function initialise({ binaries, user, dir, cluster, passwordFile }) {
  const password = randomBytes(24).toString("base64url");
  await rm(cluster, { recursive: true, force: true });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user.uid) await chown(passwordFile, user.uid, user.gid);
  const settings = ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync"];
  const { status, stderr, error } = spawnSync(
    join(binaries, "bin/initdb"),
    ["-D", cluster, "-U", ADMIN, `--pwfile=${passwordFile}`, ...settings],
    { ...user, cwd: dir, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`initdb failed: ${error?.message ?? stderr}`);
  return password;
}

/** `[pid, port]` of the server whose pid file stands in the cluster, or undefined. */
async function recordedServer(cluster) {
  const file = join(cluster, "postmaster.pid");
  if (!existsSync(file)) return undefined;
  const lines = (await readFile(file, "utf8")).split("\n");
  return [Number(lines[0]), Number(lines[3])];
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** "Fast" shutdown: sessions are ended, the data is flushed. Resolves when the process is gone. */
async function stopServer(pid) {
  if (isAlive(pid)) process.kill(pid, "SIGINT");
  while (isAlive(pid)) await wait(POLL_MS);
}

function launch({ binaries, user, dir, cluster, port, flags }) {
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", ...flags];
  const args = ["-D", cluster, "-p", String(port), ...settings.flatMap((text) => ["-c", text])];
  // Its own process group: Ctrl-C in the terminal must not stop it before its clients.
  const child = spawn(join(binaries, "bin/postgres"), args, {
    ...user,
    cwd: dir,
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const state = { child, exited: false, tail: "" };
  child.stderr.on("data", (chunk) => {
    state.tail = (state.tail + chunk).slice(-2000);
  });
  child.on("exit", () => {
    state.exited = true;
  });
  return state;
}

async function untilReady(state, url) {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await answers(url))) {
    if (state.exited || Date.now() > deadline) {
      throw new Problem(
        `Postgres did not start:\n${state.tail}`,
        "Run again with --fresh for an empty state, or set DATABASE_URL to a Postgres of yours.",
      );
    }
    await wait(POLL_MS);
  }
}

/**
 * Starts the Postgres that npm installed on a free loopback port with its data in `dir`, or takes
 * over the one an interrupted run left behind. `flags` are `name=value` server settings; `port`
 * is for a server that must come back where it was.
 * Returns `{ url, pid, reused, exited, stop }`: the superuser's URL, a promise of the server's end
 * (of a server that was taken over: never), and `stop`, which waits for that end.
 */
export async function startPostgres({ dir, flags = ["max_connections=200"], port: wanted = 0 }) {
  const user = postgresUser();
  const cluster = join(dir, "cluster");
  const passwordFile = join(dir, "password");
  await mkdir(dir, { recursive: true, mode: 0o700 });
  if (user.uid) await chown(dir, user.uid, user.gid);
  const binaries = await postgresBinaries(user, dir);

  const initialised = existsSync(join(cluster, "PG_VERSION")) && existsSync(passwordFile);
  const password = initialised
    ? await readFile(passwordFile, "utf8")
    : await initialise({ binaries, user, dir, cluster, passwordFile });

  const [oldPid, oldPort] = (await recordedServer(cluster)) ?? [];
  if (oldPort && (await answers(urlOf(oldPort, password)))) {
    const stop = () => stopServer(oldPid);
    const exited = new Promise(() => undefined);
    return { url: urlOf(oldPort, password), pid: oldPid, reused: true, exited, stop };
  }
  const port = wanted || (await freePort());
  const url = urlOf(port, password);
  const state = launch({ binaries, user, dir, cluster, port, flags });
  await untilReady(state, url);
  const { pid } = state.child;
  const exited = new Promise((resolve) => state.child.once("exit", resolve));
  const stop = async () => {
    if (state.exited) return;
    state.child.kill("SIGINT");
    await exited;
  };
  return { url, pid, reused: false, exited, stop };
}
