import { z } from "zod";
import { isQueueHealthy } from "../../jobs";
import { platform } from "../../platform/platform";

const Check = z.object({ ok: z.boolean(), detail: z.string() });
type Check = z.output<typeof Check>;

/** What the service needs to serve: each part, whether it is there, and what that means. */
export const Readiness = z
  .object({
    ok: z.boolean(),
    checks: z.object({
      postgres: Check,
      queue: Check,
      workers: Check,
      sandbox: Check,
      rowLevelSecurity: Check,
    }),
  })
  .meta({ id: "Readiness" });
export type Readiness = z.output<typeof Readiness>;

const SandboxReport = z.looseObject({
  driver: z.string().optional(),
  name: z.string().optional(),
  strength: z.string().optional(),
});

async function checked(run: () => Promise<Check>): Promise<Check> {
  try {
    return await run();
  } catch (error) {
    platform().log.warn({ err: error }, "a readiness check failed");
    return { ok: false, detail: "It does not answer; the log of this process says why." };
  }
}

const rows = async <Row extends object>(text: string): Promise<Row[]> =>
  (await platform().pool.query<Row>(text)).rows;

const postgres = () =>
  checked(async () => {
    await rows("SELECT 1");
    return { ok: true, detail: "Postgres answers." };
  });

const NO_POSTGRES_QUEUE = "The queue does not answer: migrate the database, then look there.";
const NO_REDIS =
  "The queue does not answer: start the Redis that REDIS_URL names. Until then sweeps of Postgres " +
  "find what is due, seconds later.";

const queue = () =>
  checked(async () =>
    (await isQueueHealthy())
      ? { ok: true, detail: "The queue answers." }
      : { ok: false, detail: platform().redis ? NO_REDIS : NO_POSTGRES_QUEUE },
  );

const seenWorkers = () =>
  rows<{ sandbox: unknown }>(
    "SELECT sandbox FROM worker WHERE NOT draining AND seen_at > now() - interval '5 seconds'",
  );

const workers = () =>
  checked(async () => {
    const { length } = await seenWorkers();
    return length > 0
      ? { ok: true, detail: `${length} seen within 5 s.` }
      : { ok: false, detail: "No worker was seen within 5 s: start one." };
  });

const sandbox = () =>
  checked(async () => {
    const reports = (await seenWorkers()).map((row) => SandboxReport.parse(row.sandbox));
    if (reports.length === 0) return { ok: false, detail: "Unknown without a worker." };
    const strengths = [...new Set(reports.map((report) => report.strength ?? "unknown"))];
    const none = strengths.some((strength) => strength === "none" || strength === "unknown");
    return {
      ok: true,
      detail: none
        ? `Strength ${strengths.join(", ")}: tenants' code is NOT isolated.`
        : `Strength ${strengths.join(", ")}.`,
    };
  });

const rowLevelSecurity = () =>
  checked(async () => {
    const [row] = await rows<{ binds: boolean }>(
      `SELECT NOT (r.rolsuper OR r.rolbypassrls OR EXISTS (
         SELECT 1 FROM pg_class c WHERE c.oid = 'session'::regclass AND c.relowner = r.oid
           AND NOT c.relforcerowsecurity)) AS binds
       FROM pg_roles r WHERE r.rolname = current_user`,
    );
    return {
      ok: true,
      detail: row?.binds
        ? "Row-level security binds this service's database role."
        : "Row-level security does NOT bind: DATABASE_URL names the owner of the tables. " +
          "Give the services a role of their own (DATABASE_MIGRATE_URL for the owner).",
    };
  });

/** Looks at everything the service needs. */
export async function readiness(): Promise<Readiness> {
  const [first, second, third, fourth, fifth] = await Promise.all([
    postgres(),
    queue(),
    workers(),
    sandbox(),
    rowLevelSecurity(),
  ]);
  const checks = {
    postgres: first,
    queue: second,
    workers: third,
    sandbox: fourth,
    rowLevelSecurity: fifth,
  };
  return { ok: Object.values(checks).every((check) => check.ok), checks };
}
