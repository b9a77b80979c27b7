// One command from a clone to a running Berth: install, build, Postgres, migrations, services,
// demo login. Runs until Ctrl-C, then stops everything it started.
import { rmSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "./build.mjs";
import { chooseSandbox } from "./lib/choose-sandbox.mjs";
import { migrateAll } from "./lib/database.mjs";
import { ensureDependencies, requireNode } from "./lib/dependencies.mjs";
import { portIsFree } from "./lib/free-port.mjs";
import { readOptions } from "./lib/options.mjs";
import { elapsed, phase, say } from "./lib/phase.mjs";
import { Problem, reportAndFail } from "./lib/problem.mjs";
import { ROOT } from "./lib/root.mjs";
import { demoLogin, deployExample } from "./lib/seed-demo.mjs";
import { serviceEnvironment } from "./lib/service-environment.mjs";
import { keepRunning } from "./lib/service-process.mjs";
import { createShutdown } from "./lib/shutdown.mjs";
import { startDatabase } from "./lib/start-database.mjs";
import { prepareStateDir, stateDirFor } from "./lib/state-dir.mjs";
import { writePrivateJson } from "./lib/state-file.mjs";
import { lockState, requireUnlocked } from "./lib/state-lock.mjs";
import { stateSecrets } from "./lib/state-secrets.mjs";
import { waitUntilReady } from "./lib/wait-until-ready.mjs";

const READY_TIMEOUT_MS = 90_000;

async function requirePort(port, host) {
  if (await portIsFree(port, host)) return;
  throw new Problem(`Port ${port} is taken.`, `npm run up -- --port ${port + 1}`);
}

/** Claims state and port before anything slow happens, so that a refusal comes at once. */
async function claim(options, shutdown) {
  const host = process.env.BERTH_HOST ?? "127.0.0.1";
  const url = process.env.BERTH_URL ?? `http://127.0.0.1:${options.port}`;
  if (options.fresh && process.env.DATABASE_URL) {
    throw new Problem(
      "--fresh would delete the keys of what is in the database that DATABASE_URL names.",
      "Empty that database yourself, and choose a new folder with --state.",
    );
  }
  const dir = stateDirFor(options.state, { embeddedPostgres: !process.env.DATABASE_URL });
  requireUnlocked(dir);
  await requirePort(options.port, host);
  prepareStateDir(dir, options);
  shutdown.add(undefined, lockState(dir, url).release);
  rmSync(join(dir, "up.json"), { force: true }); // it appears again when everything is ready
  return { host, url, dir };
}

/** Starts web and worker; keeps `up.json` true about their process ids once it is written. */
function startServices({ env, shutdown, onChange }) {
  const services = {};
  for (const name of ["worker", "web"]) {
    const file = `dist/${name}.mjs`;
    services[name] = keepRunning({ name, file, env, onChange });
    shutdown.add(name, services[name].stop);
  }
  return services;
}

/** `up.json`: what another program needs to use this installation. */
function createRecord({ dir, url, database }) {
  const path = join(dir, "up.json");
  let login;
  let services;
  const pids = () => ({
    web: services.web.pid(),
    worker: services.worker.pid(),
    gateway: services.worker.told()?.gateway,
    postgres: database.pid,
  });
  const write = (withPids) => {
    if (login) writePrivateJson(path, { url, ...login, pids: withPids });
  };
  return {
    publish(newLogin, newServices) {
      login = newLogin;
      services = newServices;
      write(pids());
    },
    refresh: () => services && write(pids()),
    retire: () => write({}),
  };
}

function announce({ url, dir, login }) {
  const state = relative(ROOT, dir).startsWith("..") ? dir : relative(ROOT, dir);
  say(`
Berth is running (${elapsed()}): ${url}

  sign in     ${login.email}
  password    ${login.password}
  state       ${state} (keys and login for programs: ${join(state, "up.json")})

Try next, in another terminal:
  export BERTH_URL=${url} BERTH_TOKEN=${login.apiKey}
  node dist/cli.mjs run --org ${login.org} --agent weather "What is the weather in Lisbon?"
  node dist/cli.mjs deploy --org ${login.org} --dir examples/pr-approver

Ctrl-C stops everything.`);
}

async function prepare(options, shutdown) {
  const place = await claim(options, shutdown);
  await phase("Dependencies", async () =>
    (await ensureDependencies()) ? "installed" : "nothing changed",
  );
  await build({ dashboard: !options.dev });
  let sandbox;
  await phase("Sandbox", async () => {
    sandbox = await chooseSandbox({ unsafe: options.unsafeSandbox, host: place.host });
    return sandbox;
  });
  return { ...place, sandbox };
}

/** Our Postgres ended by itself: nothing can go on, and the next start recovers it. */
async function databaseLost(shutdown) {
  if (shutdown.begun()) return;
  say("! Postgres ended unexpectedly; stopping. Start again with: npm run up");
  await shutdown.run();
  process.exit(1);
}

async function openDatabase({ dir, secrets, shutdown }) {
  const onLost = () => databaseLost(shutdown);
  const database = await startDatabase({ dir, secrets, shutdown, onLost });
  await phase("Migrations", async () => {
    const applied = await migrateAll(database);
    return applied.length > 0 ? `${applied.length} applied` : "up to date";
  });
  return database;
}

async function up(options, shutdown) {
  const place = await prepare(options, shutdown);
  const secrets = stateSecrets(place.dir);
  const database = await openDatabase({ ...place, secrets, shutdown });
  const env = await serviceEnvironment({ ...place, ...options, secrets, database });
  const record = createRecord({ ...place, database });
  const login = await demoLogin(place.dir, { ...env, DATABASE_MIGRATE_URL: database.ownerUrl });
  shutdown.add(undefined, record.retire);
  const services = startServices({ env, shutdown, onChange: record.refresh });
  const local = `http://127.0.0.1:${options.port}`;
  await phase("Web, worker and gateway", () =>
    waitUntilReady(local, { timeoutMs: READY_TIMEOUT_MS, begun: shutdown.begun }),
  );
  await deployExample({ dir: place.dir, url: local, login, env });
  record.publish(login, services);
  if (options.dev) {
    const { watchSources } = await import("./lib/dev-watch.mjs");
    shutdown.add(undefined, watchSources(services));
  }
  announce({ ...place, login });
}

async function main() {
  requireNode();
  const options = readOptions();
  if (options.help) {
    say(options.help);
    return;
  }
  const shutdown = createShutdown();
  try {
    await up(options, shutdown);
  } catch (error) {
    if (shutdown.begun()) return;
    reportAndFail(error);
    await shutdown.run();
  }
}

main().catch(reportAndFail);
