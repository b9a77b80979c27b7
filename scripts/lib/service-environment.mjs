import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { runCommand } from "./run-command.mjs";

/** What services inherit; everything else of the person's environment stays with them. */
const INHERITED =
  /^(PATH|HOME|USER|LOGNAME|LANG|LC_ALL|TZ|TMPDIR|REDIS_URL|DATABASE_POOL|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|https?_proxy|HTTPS?_PROXY|no_proxy|NO_PROXY|(BERTH|OTEL|AUTH|SMTP)_.+)$/;
/** The CLI's own settings: a token has no business in a service. */
const PERSONAL = new Set(["BERTH_TOKEN"]);
const LONGEST_SOCKET_PATH = 100;

const inherited = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => INHERITED.test(name) && !PERSONAL.has(name)),
  );

/** The registry agents' dependencies come from: the one npm is set to use here. */
async function npmRegistry() {
  const configured = process.env.BERTH_NPM_REGISTRY ?? process.env.npm_config_registry;
  if (configured) return configured;
  const { code, output } = await runCommand("npm", ["config", "get", "registry"]);
  return code === 0 ? output.trim() : "https://registry.npmjs.org";
}

/** A unix socket's path is limited to about 108 bytes. */
function workerSocket(dir) {
  const path = join(dir, "worker.sock");
  if (Buffer.byteLength(path) <= LONGEST_SOCKET_PATH) return path;
  return join(tmpdir(), `berth-${basename(dir).slice(-20)}-${process.pid}.sock`);
}

/** The whole environment of web, worker and seed of this installation. */
export async function serviceEnvironment({ dir, port, url, sandbox, secrets, database, dev }) {
  return {
    BERTH_HOST: "127.0.0.1",
    BERTH_ADMINS: "demo@berth.local",
    ...inherited(),
    NODE_ENV: dev ? "development" : "production",
    NEXT_TELEMETRY_DISABLED: "1",
    NEXTAUTH_URL: url,
    DATABASE_URL: database.appUrl,
    BERTH_PORT: String(port),
    BERTH_URL: url,
    BERTH_STATE_DIR: dir,
    BERTH_SANDBOX: sandbox,
    BERTH_WORKER_ADDRESS: process.env.BERTH_WORKER_ADDRESS ?? workerSocket(dir),
    BERTH_NPM_REGISTRY: await npmRegistry(),
    BERTH_SECRET: process.env.BERTH_SECRET ?? secrets.BERTH_SECRET,
    BERTH_MASTER_KEY: process.env.BERTH_MASTER_KEY ?? secrets.BERTH_MASTER_KEY,
    BERTH_INTERNAL_TOKEN: process.env.BERTH_INTERNAL_TOKEN ?? secrets.BERTH_INTERNAL_TOKEN,
    ...(dev ? { BERTH_DEV: "1" } : {}),
  };
}
