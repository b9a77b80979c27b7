import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { updateAgent } from "../../../src/server/agents";
import { putBlob } from "../../../src/server/blobs";
import { expireSessions, finishErasures } from "../../../src/server/retention";
import { createSession, sendMessage } from "../../../src/server/turns";
import { type SeededAgent, seedAgent } from "../../support/seed-agent";
import { bearerFor, send } from "../../support/test-api";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

let berth: TestPlatform;
let agent: SeededAgent;
let state: string;

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), "berth-erasure-"));
  berth = await startTestPlatform({ BERTH_STATE_DIR: state });
  agent = await seedAgent(berth);
});
afterAll(async () => {
  await berth.stop();
  await rm(state, { recursive: true, force: true });
});

/** Every table whose rows hold the marker anywhere, whoever owns them. */
async function tablesWith(marker: string): Promise<string[]> {
  const tables = await berth.sql<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const [row] = await berth.sql<{ hit: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM "${name}" t WHERE position($1 in t::text) > 0
         OR position(encode(convert_to($1, 'UTF8'), 'hex') in t::text) > 0) AS hit`,
      [marker],
    );
    if (row?.hit) found.push(name);
  }
  return found;
}

/** Every file below the state folder that holds the marker. */
async function filesWith(marker: string): Promise<string[]> {
  const entries = await readdir(state, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const read = await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      return (await readFile(path)).includes(marker) ? [path] : [];
    }),
  );
  return read.flat();
}

/** A session with the marker in everything that a session can leave. */
async function marked(marker: string) {
  const { orgId, ctx, agentId } = agent;
  const sent = await createSession(ctx, {
    agentId,
    message: `${marker} asks`,
    title: marker,
    metadata: { marker },
  });
  const { sessionId, turnId } = sent;
  const blob = await putBlob(orgId, Buffer.from(`${marker} bytes`), {
    maxBytes: 100,
    holder: sessionId,
  });
  const row = [orgId, sessionId, turnId];
  await berth.sql(
    `INSERT INTO step (org_id, turn_id, step, session_id, provider, model, sdk, messages, usage, started_at)
     VALUES ($1, $3, 0, $2, 'p', 'm', 7, json_build_array($4::text), '{}', now())`,
    [...row, marker],
  );
  await berth.sql(
    `INSERT INTO tool_call (org_id, turn_id, call_id, session_id, step, tool_name, input, result)
     VALUES ($1, $3, 'call_' || $3, $2, 0, 't', to_json($4::text), to_json($4::text))`,
    [...row, marker],
  );
  await berth.sql(
    `INSERT INTO approval (org_id, session_id, turn_id, agent_id, call_id, version, tool_name, input, hash, expires_at)
     VALUES ($1, $2, $3, $5, 'call_' || $3, 1, 't', to_json($4::text), 'h', now())`,
    [...row, marker, agentId],
  );
  await berth.sql(
    `INSERT INTO artifact (org_id, session_id, turn_id, agent_id, id, kind, key, version, title, sha256)
     VALUES ($1, $2, $3, $5, 'art_' || $3, 'k', $4, 1, $4, $6)`,
    [...row, marker, agentId, blob.sha256],
  );
  await berth.sql(
    `INSERT INTO workspace_file (org_id, session_id, path, sha256, size, mode)
     VALUES ($1, $2, $3, $4, 9, 420)`,
    [orgId, sessionId, marker, blob.sha256],
  );
  return sent;
}

test("a deleted session leaves nothing in any table or file", async () => {
  const marker = "MARKER-of-the-erased";
  const { sessionId } = await marked(marker);
  const kept = await marked("MARKER-of-the-kept");
  const before = await tablesWith(marker);
  const holding = ["approval", "artifact", "event", "message", "session", "step", "tool_call"];
  expect(before).toEqual(expect.arrayContaining([...holding, "workspace_file"]));
  expect(await filesWith(marker)).toHaveLength(1);

  const path = `/${agent.orgId}/agent/v1/session/${sessionId}`;
  const headers = await bearerFor(agent);
  expect((await send("DELETE", path, { headers })).status).toBe(403);
  const control = `/api/v1/orgs/${agent.orgId}/agents/agent/sessions/${sessionId}`;
  expect((await send("DELETE", control, { headers })).status).toBe(204);

  expect(await tablesWith(marker)).toEqual([]);
  expect(await filesWith(marker)).toEqual([]);
  expect((await send("GET", path, { headers })).status).toBe(404);
  expect((await send("DELETE", control, { headers })).status).toBe(404);
  expect(await filesWith("MARKER-of-the-kept")).toHaveLength(1);
  expect(await tablesWith(kept.sessionId)).toContain("event");
});

test("the owner of a session erases it on the agent's API, and the audit log says so", async () => {
  const headers = await bearerFor(agent);
  const base = `/${agent.orgId}/agent/v1/session`;
  const { body } = await send("POST", base, { json: { message: "mine" }, headers });
  expect((await send("DELETE", `${base}/${body.sessionId}`, { headers })).status).toBe(204);
  const rows = await berth.sql("SELECT 1 FROM audit_entry WHERE action = $1 AND entity_id = $2", [
    "session.delete",
    body.sessionId,
  ]);
  expect(rows).toHaveLength(1);
});

test("members read a session at most once an hour for the audit log, each of them", async () => {
  const { sessionId } = await marked("read by others");
  const control = `/api/v1/orgs/${agent.orgId}/agents/agent/sessions/${sessionId}/stream?follow=false`;
  const [ann, ben] = [await bearerFor(agent), await bearerFor(agent)];
  for (const headers of [ann, ann, ben]) {
    expect((await send("GET", control, { headers })).status).toBe(200);
  }
  const rows = await berth.sql<{ actor: string }>(
    "SELECT actor FROM audit_entry WHERE action = $1 AND entity_id = $2",
    ["session.read", sessionId],
  );
  expect(new Set(rows.map(({ actor }) => actor)).size).toBe(2);
  expect(rows).toHaveLength(2);
  await berth.sql("UPDATE audit_entry SET id = 'an hour ago' WHERE entity_id = $1 AND actor = $2", [
    sessionId,
    rows[0]!.actor,
  ]);
  for (const headers of [ann, ben]) await send("GET", control, { headers });
  expect(
    await berth.sql("SELECT 1 FROM audit_entry WHERE entity_id = $1 AND action = $2", [
      sessionId,
      "session.read",
    ]),
  ).toHaveLength(3);
});

test("bytes written by somebody who had not heard are erased once more", async () => {
  const { orgId, ctx, agentId } = agent;
  const { sessionId } = await createSession(ctx, { agentId, message: "m" });
  const headers = await bearerFor(agent);
  await send("DELETE", `/api/v1/orgs/${orgId}/agents/agent/sessions/${sessionId}`, { headers });
  const late = Buffer.from("MARKER-written-late");
  await putBlob(orgId, late, { maxBytes: 100, holder: sessionId });
  await finishErasures("0 seconds");
  expect(await filesWith("MARKER-written-late")).toEqual([]);
  expect(await berth.sql("SELECT 1 FROM erasure WHERE holder = $1", [sessionId])).toEqual([]);
});

async function agedSession(days: number, status = "waiting"): Promise<string> {
  const { sessionId } = await createSession(agent.ctx, { agentId: agent.agentId, message: "old" });
  await berth.sql(
    `UPDATE session SET status = $3, created_at = now() - make_interval(days => 1000),
       updated_at = now() - make_interval(days => $2) WHERE id = $1`,
    [sessionId, days, status],
  );
  return sessionId;
}

test("idle sessions end when their agent keeps them no longer, and not a day before", async () => {
  const exists = async (id: string) =>
    (await berth.sql("SELECT 1 FROM session WHERE id = $1", [id])).length === 1;
  const [young, old, busy] = [
    await agedSession(89),
    await agedSession(91),
    await agedSession(91, "running"),
  ];
  await expireSessions();
  expect(await Promise.all([young, old, busy].map(exists))).toEqual([true, false, true]);

  await updateAgent(agent.ctx, { agentId: agent.agentId, settings: { retentionDays: 7 } });
  const [sixDays, eightDays] = [await agedSession(6), await agedSession(8)];
  await expireSessions();
  expect(await Promise.all([sixDays, eightDays, young].map(exists))).toEqual([true, false, false]);
});

test("a turn of a session that is erased while it waits is never run", async () => {
  const { ctx, agentId, orgId } = agent;
  const { sessionId, turnId } = await createSession(ctx, { agentId, message: "m" });
  await sendMessage(ctx, { agentId, sessionId, message: "n" });
  const headers = await bearerFor(agent);
  await send("DELETE", `/api/v1/orgs/${orgId}/agents/agent/sessions/${sessionId}`, { headers });
  expect(await berth.sql("SELECT 1 FROM turn WHERE session_id = $1", [sessionId])).toEqual([]);
  await expect(sendMessage(ctx, { agentId, sessionId, message: turnId })).rejects.toMatchObject({
    code: "not_found",
  });
});
