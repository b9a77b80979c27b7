import { ROOT } from "./root.mjs";
import { runCommand } from "./run-command.mjs";
import { startTestDatabase } from "./test-database.mjs";

const CLI = "node_modules/prisma/build/index.js";
const DIFFERENT = 2;
/** An engine that broke off also ends with 0; only this text says that it compared. */
const AGREED = "No difference detected";

/**
 * Whether prisma/migrations, applied to an empty database, give exactly prisma/schema.prisma.
 * Uses a throwaway Postgres. Returns `{ code, output }`; 0 means they agree.
 */
export async function checkSchemaDrift() {
  const { env, stop } = await startTestDatabase();
  try {
    const args = ["--from-migrations", "prisma/migrations", "--to-schema", "prisma/schema.prisma"];
    const { code, output } = await runCommand(
      process.execPath,
      [CLI, "migrate", "diff", ...args, "--exit-code"],
      { cwd: ROOT, env: { ...process.env, DATABASE_MIGRATE_URL: env.TEST_DATABASE_ADMIN_URL } },
    );
    if (code === 0 && !output.includes(AGREED)) {
      return { code: 1, output: `${output}\nThe comparison gave no answer.` };
    }
    const advice = "\nAdd a migration: npx prisma migrate dev --name <what-changes>";
    return { code, output: code === DIFFERENT ? output + advice : output };
  } finally {
    await stop();
  }
}
