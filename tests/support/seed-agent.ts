import { Manifest } from "../../src/protocol/manifest";
import { ROLE_PERMISSIONS } from "../../src/protocol/permission";
import type { Ctx } from "../../src/server/platform/context";
import { newId } from "../../src/server/platform/id";
import type { TestPlatform } from "./test-platform";

type ManifestInput = Partial<Manifest>;

/** A manifest of an agent without anything, changed by `change`. */
export const manifestWith = (change: ManifestInput = {}): Manifest =>
  Manifest.parse({
    schema: 1,
    root: "bot",
    name: "test",
    models: [{ id: "stub/scripted", params: {} }],
    instructions: { file: "bot/instructions.md", kind: "static", text: "Be brief." },
    tools: [],
    skills: [],
    subagents: [],
    channels: [],
    schedules: [],
    reminders: [],
    hooks: [],
    mcpConnections: [],
    hostConnections: [],
    extensions: [],
    workspaceFiles: [],
    evals: [],
    access: "org",
    isolation: "agent",
    persistent: false,
    egressDomains: [],
    secretNames: [],
    limits: { steps: 100, wallMs: 1_800_000 },
    approvals: { channel: false, self: false, expiresInMs: 604_800_000 },
    builtinTools: { reminders: false },
    ...change,
  });

export interface SeededAgent {
  orgId: string;
  agentId: string;
  /** A caller that may do everything in the org. */
  ctx: Ctx;
  /** Another caller of the same org. */
  otherCtx: Ctx;
}

const ctxOf = (orgId: string, id: string): Ctx => ({
  orgId,
  actor: { kind: "service", id },
  permissions: ROLE_PERMISSIONS.owner,
  via: "api",
  ip: null,
  requestId: "req_test",
});

/** Says that a worker with so many slots is there, for good: without one every turn has to wait. */
export const seedWorker = ({ sql }: TestPlatform, slots = 10_000) =>
  sql(
    `INSERT INTO worker (id, address, slots, build, seen_at) VALUES ('seeded', '', $1, 'x', 'infinity')
     ON CONFLICT (id) DO UPDATE SET slots = excluded.slots, seen_at = excluded.seen_at`,
    [slots],
  );

/** Inserts an org with one deployed agent, as the database's owner, and a worker if there is none. */
export async function seedAgent(
  berth: TestPlatform,
  manifest: Manifest = manifestWith(),
): Promise<SeededAgent> {
  const { sql } = berth;
  const workers = await sql("SELECT 1 FROM worker");
  if (workers.length === 0) await seedWorker(berth);
  const orgId = newId("org");
  const agentId = newId("agt");
  await sql("INSERT INTO org (id, slug, slug_key, name) VALUES ($1, $1, $1, $1)", [orgId]);
  await sql(
    `INSERT INTO agent (org_id, id, slug, slug_key, name, active_version, next_version)
     VALUES ($1, $2, 'agent', 'agent', 'agent', 1, 2)`,
    [orgId, agentId],
  );
  await sql(
    `INSERT INTO deployment (org_id, agent_id, version, id, status, source_sha, bundle_sha, manifest, created_by)
     VALUES ($1, $2, 1, $3, 'ready', 'none', 'none', $4, 'test')`,
    [orgId, agentId, newId("dep"), JSON.stringify(manifest)],
  );
  return { orgId, agentId, ctx: ctxOf(orgId, newId("svc")), otherCtx: ctxOf(orgId, newId("svc")) };
}
