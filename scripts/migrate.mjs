// Applies the migrations to the database that DATABASE_MIGRATE_URL (or DATABASE_URL) names.
import { migrateAll } from "./lib/database.mjs";
import { say } from "./lib/phase.mjs";
import { Problem, reportAndFail } from "./lib/problem.mjs";

async function main() {
  const ownerUrl = process.env.DATABASE_MIGRATE_URL ?? process.env.DATABASE_URL;
  if (!ownerUrl) {
    throw new Problem("DATABASE_MIGRATE_URL is not set.", "Set it to the schema owner's URL.");
  }
  const appRole = decodeURIComponent(new URL(process.env.DATABASE_URL ?? ownerUrl).username);
  const applied = await migrateAll({ ownerUrl, appRole });
  say(`${applied.length} migrations applied`);
}

main().catch(reportAndFail);
