import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  APP_ROLE,
  ensureDatabase,
  ensureRoles,
  OWNER_ROLE,
  withDatabase,
} from "../../scripts/lib/database.mjs";
import { startPostgres } from "../../scripts/lib/postgres.mjs";

export interface BenchDatabase {
  ownerUrl: string;
  appUrl: string;
  stop(): Promise<void>;
}

/** A Postgres of this run with the durability the product starts its own with. */
export async function startBenchDatabase(): Promise<BenchDatabase> {
  const parent = await mkdtemp(join(tmpdir(), "berth-bench-pg-"));
  await chmod(parent, 0o711); // as root, Postgres runs as somebody else and must get through
  const server = await startPostgres({ dir: join(parent, "postgres") });
  const [ownerPassword, appPassword] = [randomBytes(18), randomBytes(18)].map((bytes) =>
    bytes.toString("base64url"),
  ) as [string, string];
  await ensureRoles(server.url, { ownerPassword, appPassword });
  await ensureDatabase(server.url, "berth");
  const login = (user: string, password: string) =>
    withDatabase(server.url, "berth", { user, password });
  return {
    ownerUrl: login(OWNER_ROLE, ownerPassword),
    appUrl: login(APP_ROLE, appPassword),
    stop: async () => {
      await server.stop();
      await rm(parent, { recursive: true, force: true });
    },
  };
}
