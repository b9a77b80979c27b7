import { readFile } from "node:fs/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { GLOBAL_MODELS } from "../../../src/server/platform/db";
import { withSqlTransaction, withTransaction } from "../../../src/server/platform/transaction";
import { type SeededAgent, seedAgent } from "../../support/seed-agent";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

/** Functions that run as the schema's owner. A new one is added here after asking what it can reach. */
const DEFINER_FUNCTIONS = new Set([
  // look-ups by a full key, before the org is known
  "berth_agent_by_slug",
  "berth_api_key",
  "berth_member_role",
  "berth_org_by_key",
  "berth_org_by_slug",
  "berth_org_count",
  "berth_orgs_of_user",
  "berth_touch_api_key",
  // a person's own doings, in the audit log of the person's orgs
  "berth_audit_person",
  "berth_lock_orgs",
  "berth_secrets_revision",
  // keys of requests: each takes the org and the principal
  "berth_claim_key",
  "berth_forget_session_keys",
  "berth_hold_key",
  "berth_keep_answer",
  "berth_remember_results",
  // the session log: each takes the org, and the session or turn in it
  "berth_append_deltas",
  "berth_append_events",
  "berth_changed_sessions",
  "berth_conversation",
  "berth_create_session",
  "berth_lock_session",
  "berth_read_events",
  "berth_send_message",
  "berth_settle_session",
  // turns and steps: each takes the org and the turn
  "berth_add_usage",
  "berth_abandon_call",
  "berth_announce_turn",
  "berth_begin_call",
  "berth_complete_step",
  "berth_decide_approval",
  "berth_end_call",
  "berth_erase_session",
  "berth_fence_turn",
  "berth_finish_call",
  "berth_finish_commit",
  "berth_finish_turn",
  "berth_free_session",
  "berth_keep_workspace",
  "berth_park_turn",
  "berth_record_compaction",
  "berth_record_step",
  "berth_record_usage",
  "berth_release_turn",
  "berth_request_approval",
  "berth_return_turn",
  "berth_save_held_workspace",
  "berth_save_workspace",
  "berth_settle_approval",
  "berth_start_call",
  "berth_start_commit",
  "berth_stop_turn",
  "berth_deliver_messages",
  "berth_line_up",
  "berth_queue_turn",
  "berth_resolve_approvals",
  "berth_settle_fenced",
  "berth_take_pending",
  "berth_turns_ahead",
  // across orgs by nature: workers taking, renewing and sweeping what is due
  "berth_claim_build",
  "berth_claim_turns",
  "berth_due_artifacts",
  "berth_due_erasures",
  "berth_expire_approvals",
  "berth_expired_sessions",
  "berth_renew_leases",
  "berth_sweep_keys",
  "berth_next_lease_end",
  "berth_sweep_turns",
  "berth_tell_waiting",
  // how many slots there are, and what one org may hold of them
  "berth_live_slots",
  "berth_org_cap",
]);

let world: TestPlatform;
let ours: SeededAgent;
let theirs: SeededAgent;

beforeAll(async () => {
  world = await startTestPlatform();
  ours = await seedAgent(world);
  theirs = await seedAgent(world);
});
afterAll(() => world.stop());

async function tenantModels(): Promise<{ model: string; table: string }[]> {
  const schema = await readFile("prisma/schema.prisma", "utf8");
  const models = [...schema.matchAll(/^model (\w+) \{(.*?)^\}/gms)];
  return models
    .map(([, model = "", body = ""]) => ({
      model,
      table: /@@map\("(\w+)"\)/.exec(body)?.[1] ?? model,
    }))
    .filter(({ model }) => !GLOBAL_MODELS.has(model));
}

test("every model of a tenant has a policy that is switched on", async () => {
  const rows = await world.sql<{ table: string }>(
    `SELECT c.relname AS table FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid
     WHERE c.relrowsecurity AND p.polqual IS NOT NULL AND p.polwithcheck IS NOT NULL`,
  );
  const protectedTables = new Set(rows.map(({ table }) => table));
  const models = await tenantModels();
  expect(models.length).toBeGreaterThan(20);
  expect(models.filter(({ table }) => !protectedTables.has(table))).toEqual([]);
});

test("every table with an org in it is a model that the tenant client scopes", async () => {
  const rows = await world.sql<{ table: string }>(
    `SELECT table_name AS table FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'org_id'`,
  );
  const tables = new Set((await tenantModels()).map(({ table }) => table));
  expect(rows.filter(({ table }) => !tables.has(table))).toEqual([]);
});

test("every tenant table has the org first in its primary key", async () => {
  const rows = await world.sql<{ table: string; first: string }>(
    `SELECT c.relname AS table, a.attname AS first FROM pg_index i
     JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
     WHERE i.indisprimary AND n.nspname = 'public'`,
  );
  const first = new Map(rows.map((row) => [row.table, row.first]));
  const tables = (await tenantModels()).map(({ table }) => table).filter((name) => name !== "org");
  expect(tables.filter((table) => first.get(table) !== "org_id")).toEqual([]);
});

test("every function that runs as the owner is listed, pinned and not public", async () => {
  const rows = await world.sql<{ name: string; pinned: boolean; public: boolean }>(
    `SELECT p.proname AS name, p.proconfig @> ARRAY['search_path=public'] AS pinned,
            has_function_privilege('public', p.oid, 'EXECUTE') AS public
     FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE p.prosecdef AND n.nspname = 'public'`,
  );
  expect(rows.map(({ name }) => name).filter((name) => !DEFINER_FUNCTIONS.has(name))).toEqual([]);
  expect(rows.filter((row) => row.pinned !== true || row.public)).toEqual([]);
  const names = new Set(rows.map(({ name }) => name));
  expect([...DEFINER_FUNCTIONS].filter((name) => !names.has(name))).toEqual([]);
});

test("the services' role sees nothing without an org, and only its own with one", async () => {
  const app = new pg.Client({ connectionString: world.platform.env.DATABASE_URL });
  await app.connect();
  try {
    expect((await app.query("SELECT id FROM agent")).rows).toEqual([]);
    await app.query("BEGIN");
    await app.query("SELECT set_config('app.org', $1, true)", [ours.orgId]);
    expect((await app.query("SELECT id FROM agent")).rows).toEqual([{ id: ours.agentId }]);
    const changed = await app.query("UPDATE agent SET name = 'x' WHERE id = $1", [theirs.agentId]);
    expect(changed.rowCount).toBe(0);
    await expect(
      app.query("INSERT INTO service_account (org_id, id, name) VALUES ($1, 'svc_x', 'x')", [
        theirs.orgId,
      ]),
    ).rejects.toThrow(/row-level security/);
  } finally {
    await app.end();
  }
});

test("the database refuses a link from one org's row to another's", async () => {
  await expect(
    world.sql(
      `INSERT INTO session (org_id, id, agent_id, channel, mode, principal, continuation_token)
       VALUES ($1, 'ses_x', $2, 'http', 'chat', 'user:x', 'http:x')`,
      [ours.orgId, theirs.agentId],
    ),
  ).rejects.toThrow(/foreign key/);
});

test("the tenant client refuses what could reach past the org", async () => {
  await withTransaction(ours.orgId, async ({ db }) => {
    const row = { orgId: theirs.orgId, id: "svc_y", name: "y" };
    await expect(
      db.serviceAccount.upsert({
        where: { orgId_id: { orgId: theirs.orgId, id: "svc_y" } },
        create: row,
        update: { name: "y" },
      }),
    ).rejects.toThrow(/not allowed/);
    await expect(
      db.serviceAccount.create({
        data: { id: "svc_y", name: "y", org: { connect: { id: theirs.orgId } } },
      }),
    ).rejects.toThrow(/nested write/);
    await expect(db.user.findMany({ include: { members: true } })).rejects.toThrow(
      /include from User/,
    );
    await expect(
      db.org.create({ data: { id: "org_z", slug: "z", slugKey: "z", name: "z" } }),
    ).rejects.toThrow(/not allowed/);
  });
});

test("the tenant client puts rows into its own org and finds no others", async () => {
  await withTransaction(ours.orgId, async ({ db }) => {
    const made = await db.serviceAccount.create({
      data: { orgId: theirs.orgId, id: "svc_mine", name: "mine" },
    });
    expect(made.orgId).toBe(ours.orgId);
    expect(await db.agent.findMany({ where: { orgId: theirs.orgId } })).toEqual([]);
    expect(
      await db.agent.findMany({ where: { OR: [{ id: { not: "" } }, { orgId: theirs.orgId }] } }),
    ).toHaveLength(1);
    expect(await db.agent.count()).toBe(1);
    expect((await db.org.findMany()).map(({ id }) => id)).toEqual([ours.orgId]);
  });
});

test("of twenty racing compare-and-sets, one wins", async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      withSqlTransaction(ours.orgId, async ({ sql }) => {
        const rows = await sql(
          `UPDATE agent SET active_version = $3 WHERE org_id = $1 AND id = $2 AND active_version = 1
           RETURNING id`,
          [ours.orgId, ours.agentId, i + 2],
        );
        return rows.length;
      }),
    ),
  );
  expect(outcomes.reduce((sum, won) => sum + won, 0)).toBe(1);
});

test("an org that is no id is refused before it reaches SQL", async () => {
  await expect(
    withSqlTransaction("x'; DROP TABLE org; --", ({ sql }) => sql("SELECT 1")),
  ).rejects.toThrow("not an org id");
});
