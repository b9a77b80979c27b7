import { join } from "node:path";
import {
  APP_ROLE,
  ensureDatabase,
  ensureRoles,
  migrateAll,
  OWNER_ROLE,
  withDatabase,
} from "../../../scripts/lib/database.mjs";
import { freePort } from "../../../scripts/lib/free-port.mjs";
import { startPostgres } from "../../../scripts/lib/postgres.mjs";

/** A Postgres of one test file, to be crashed and started again where it was. */
export interface OwnPostgres {
  ownerUrl: string;
  appUrl: string;
  /** Whether its process is there. */
  running(): boolean;
  /** Ends it as a crash would: no session is told, nothing is flushed. */
  crash(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one in a folder that its user can get through to, with all migrations applied. */
export async function startOwnPostgres(
  folder: string,
  settings: string[] = [],
): Promise<OwnPostgres> {
  const port = await freePort();
  const dir = join(folder, "postgres");
  const flags = ["max_connections=200", ...settings];
  let running = false;
  const launch = async () => {
    const server = await startPostgres({ dir, flags, port });
    running = true;
    void server.exited.then(() => {
      running = false;
    });
    return server;
  };
  let server = await launch();
  const [ownerPassword, appPassword] = ["owner-password", "app-password"];
  await ensureRoles(server.url, { ownerPassword, appPassword });
  await ensureDatabase(server.url, "berth");
  const login = (user: string, password: string) =>
    withDatabase(server.url, "berth", { user, password });
  const ownerUrl = login(OWNER_ROLE, ownerPassword);
  await migrateAll({ ownerUrl, appRole: APP_ROLE });
  return {
    ownerUrl,
    appUrl: login(APP_ROLE, appPassword),
    running: () => running,
    async crash() {
      if (server.pid === undefined) throw new Error("Postgres is not running");
      process.kill(server.pid, "SIGQUIT");
      await server.exited;
    },
    async start() {
      server = await launch();
    },
    stop: () => server.stop(),
  };
}
