import { afterAll, beforeAll, expect, test } from "vitest";
import {
  activateVersion,
  allocateVersion,
  createAgent,
  findAgent,
  getAgent,
  listAgents,
  loadVersion,
  updateAgent,
} from "../../../src/server/agents";
import { newId } from "../../../src/server/platform/id";
import { withSqlTransaction } from "../../../src/server/platform/transaction";
import { type SeededAgent, seedAgent } from "../../support/seed-agent";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

let world: TestPlatform;
let ours: SeededAgent;
let theirs: SeededAgent;

beforeAll(async () => {
  world = await startTestPlatform();
  ours = await seedAgent(world);
  theirs = await seedAgent(world);
});
afterAll(() => world.stop());

test("an agent is found by its slugs in any case, in its own org", async () => {
  const agent = await createAgent(ours.ctx, { slug: "Weather_Bot" });
  expect(await findAgent(ours.orgId.toUpperCase(), "weather_BOT")).toMatchObject({
    id: agent.id,
    orgId: ours.orgId,
    slug: "Weather_Bot",
    activeVersion: null,
    settings: { publicAccess: false, corsOrigins: [] },
    orgSettings: { offlineModel: false },
  });
  expect(await findAgent(theirs.orgId, "weather_bot")).toBeUndefined();
  expect(await findAgent("unknown", "weather_bot")).toBeUndefined();
  await expect(createAgent(ours.ctx, { slug: "WEATHER_BOT" })).rejects.toMatchObject({
    code: "already_exists",
  });
  await createAgent(theirs.ctx, { slug: "weather_bot" });
});

test("twenty makers of one slug make one agent", async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, () => createAgent(ours.ctx, { slug: "raced" })),
  );
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("two changes of different settings add up", async () => {
  const { ctx, agentId } = ours;
  const corsOrigins = ["https://example.com"];
  await Promise.all([
    updateAgent(ctx, { agentId, settings: { corsOrigins } }),
    updateAgent(ctx, { agentId, settings: { publicAccess: true } }),
    updateAgent(ctx, { agentId, name: "Renamed" }),
  ]);
  expect(await getAgent(ctx, { agentId })).toMatchObject({
    name: "Renamed",
    settings: { publicAccess: true, corsOrigins },
  });
  for (const origin of ["https://example.com/path", "null", "javascript:alert(1)", "*"]) {
    await expect(
      updateAgent(ctx, { agentId, settings: { corsOrigins: [origin] } }),
    ).rejects.toMatchObject({ code: "invalid_request" });
  }
});

test("versions are counted without holes or doubles", async () => {
  const { id } = await createAgent(ours.ctx, { slug: "counted" });
  const versions = await Promise.all(
    Array.from({ length: 10 }, () =>
      withSqlTransaction(ours.orgId, (tx) => allocateVersion(tx, id)),
    ),
  );
  expect(versions.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test("a built version is loaded and activated; one that is not built is neither", async () => {
  const { ctx, orgId, agentId } = ours;
  const loaded = await loadVersion({ orgId, agentId, version: 1 });
  expect(loaded.manifest.name).toBe("test");
  expect(await loadVersion({ orgId, agentId, version: 1 })).toBe(loaded);
  await world.sql(
    `INSERT INTO deployment (org_id, agent_id, version, id, source_sha, created_by)
     VALUES ($1, $2, 2, $3, 'none', 'test')`,
    [orgId, agentId, newId("dep")],
  );
  const notReady = { code: "version_not_ready" };
  await expect(loadVersion({ orgId, agentId, version: 2 })).rejects.toMatchObject(notReady);
  await expect(activateVersion(ctx, { agentId, version: 2 })).rejects.toMatchObject(notReady);
  await world.sql(
    `UPDATE deployment d SET bundle_sha = 'x', manifest = o.manifest, status = 'ready'
     FROM deployment o WHERE o.org_id = d.org_id AND o.version = 1 AND d.version = 2`,
  );
  expect(await activateVersion(ctx, { agentId, version: 2 })).toEqual({ previous: 1, version: 2 });
  expect((await getAgent(ctx, { agentId })).activeVersion).toBe(2);
  expect((await loadVersion({ orgId, agentId, version: 2 })).bundleSha).toBe("x");
});

test("another org's agent is not found, whatever is asked", async () => {
  const agentId = theirs.agentId;
  for (const run of [
    () => getAgent(ours.ctx, { agentId }),
    () => updateAgent(ours.ctx, { agentId, name: "mine" }),
    () => activateVersion(ours.ctx, { agentId, version: 1 }),
    () => loadVersion({ orgId: ours.orgId, agentId, version: 1 }),
    () => withSqlTransaction(ours.orgId, (tx) => allocateVersion(tx, agentId)),
  ]) {
    await expect(run()).rejects.toMatchObject({ code: "not_found" });
  }
});

test("a key for one agent lists that agent, and nothing else", async () => {
  const ctx = { ...ours.ctx, onlyAgentId: ours.agentId };
  expect((await listAgents(ctx, { agentId: ours.agentId })).map(({ id }) => id)).toEqual([
    ours.agentId,
  ]);
  await expect(listAgents(ctx, {})).rejects.toMatchObject({ code: "not_found" });
  expect((await listAgents(ours.ctx, {})).length).toBeGreaterThan(1);
});
