import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ROLE_PERMISSIONS } from "../../../src/protocol/permission";
import { decideApproval, listApprovals, listOrgApprovals } from "../../../src/server/approvals";
import type { Ctx } from "../../../src/server/platform/context";
import { newId } from "../../../src/server/platform/id";
import { readEvents } from "../../../src/server/sessions";
import { manifestWith, type SeededAgent, seedAgent } from "../../support/seed-agent";
import { bearerFor, send } from "../../support/test-api";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

let berth: TestPlatform;
let agent: SeededAgent;

beforeAll(async () => {
  berth = await startTestPlatform();
});
beforeEach(async () => {
  agent = await seedAgent(berth);
});
afterAll(() => berth.stop());

interface Parked {
  sessionId: string;
  turnId: string;
  callId: string;
}

/** A parked turn of a session of `ctx` that waits for one decision, as the runner leaves it. */
async function park(of = agent, ctx = of.ctx): Promise<Parked> {
  const parked = { sessionId: newId("ses"), turnId: newId("trn"), callId: newId("call") };
  const { sessionId, turnId, callId } = parked;
  const { kind, id } = ctx.actor;
  await berth.sql(
    `INSERT INTO session (org_id, id, agent_id, channel, mode, principal, continuation_token, status)
     VALUES ($1, $2, $3, 'http', 'chat', $4, 'http:x', 'parked')`,
    [of.orgId, sessionId, of.agentId, `${kind}:${id}`],
  );
  await berth.sql(
    `INSERT INTO turn (org_id, id, session_id, agent_id, status, version, principal)
     VALUES ($1, $2, $3, $4, 'parked', 1, $5)`,
    [of.orgId, turnId, sessionId, of.agentId, `${kind}:${id}`],
  );
  await berth.sql(
    `INSERT INTO approval (org_id, call_id, session_id, turn_id, agent_id, version, tool_name, input,
       hash, expires_at) VALUES ($1, $2, $3, $4, $5, 1, 'promote', '{"to":"production"}', 'h',
       now() + interval '1 day')`,
    [of.orgId, callId, sessionId, turnId, of.agentId],
  );
  return parked;
}

const routeOf = ({ sessionId, callId }: Parked) =>
  `/${agent.orgId}/agent/v1/session/${sessionId}/approvals/${callId}`;

async function eventsOf(sessionId: string): Promise<{ type: string; data: unknown }[]> {
  const page = await readEvents(agent.orgId, sessionId, 0, 100);
  return (page?.lines ?? []).map((line) => JSON.parse(line));
}

test("of 12 who decide at once one wins, and the log holds one decision", async () => {
  const parked = await park();
  const headers = await bearerFor(agent, { permissions: ["approvals:decide"] });
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      send("POST", routeOf(parked), {
        json: { decision: i % 2 === 0 ? "approve" : "deny", reason: `by ${i}` },
        headers,
      }),
    ),
  );
  const [won, ...more] = answers.filter(({ status }) => status === 200);
  expect(more).toEqual([]);
  expect(won!.body).toEqual({
    ok: true,
    callId: parked.callId,
    decision: won!.body.decision,
    sessionId: parked.sessionId,
    toolName: "promote",
  });
  const lost = answers.filter(({ status }) => status === 409);
  expect(lost.map(({ body }) => body.error)).toEqual(Array(11).fill("approval_already_resolved"));
  const events = await eventsOf(parked.sessionId);
  expect(events.map(({ type }) => type)).toEqual(["action.approval_resolved"]);
  expect(events[0]!.data).toMatchObject({ decision: won!.body.decision });
  const [turn] = await berth.sql("SELECT status FROM turn WHERE id = $1", [parked.turnId]);
  expect(turn).toEqual({ status: "queued" });
});

test("a decision that is sent again with its key is answered again", async () => {
  const parked = await park();
  const key = { "idempotency-key": "decide-once" };
  const headers = { ...(await bearerFor(agent, { permissions: ["approvals:decide"] })), ...key };
  const once = () => send("POST", routeOf(parked), { json: { decision: "approve" }, headers });
  const [first, again] = [await once(), await once()];
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.body).toEqual(first.body);
  expect(await eventsOf(parked.sessionId)).toHaveLength(1);
});

test("whoever asked may not decide, except where the turn's version allows it", async () => {
  const own = await park();
  const decision = { agentId: agent.agentId, callId: own.callId, decision: "approve" } as const;
  await expect(decideApproval(agent.ctx, decision)).rejects.toMatchObject({
    code: "forbidden",
    message: expect.stringContaining("approvals.self"),
  });
  const { approvals } = await listApprovals(agent.ctx, { agentId: agent.agentId });
  expect(approvals.map(({ mayDecide }) => mayDecide)).toEqual([false]);

  const open = await seedAgent(
    berth,
    manifestWith({ approvals: { channel: false, self: true, expiresInMs: 1_000 } }),
  );
  const allowed = await park(open);
  const listed = await listApprovals(open.ctx, { agentId: open.agentId });
  expect(listed.approvals.map(({ mayDecide }) => mayDecide)).toEqual([true]);
  expect(
    await decideApproval(open.ctx, {
      agentId: open.agentId,
      callId: allowed.callId,
      decision: "approve",
    }),
  ).toMatchObject({ decision: "approve" });
});

test("a turn's principal may not decide in a session that is somebody else's", async () => {
  const parked = await park(agent, agent.otherCtx);
  await berth.sql("UPDATE turn SET principal = $2 WHERE id = $1", [
    parked.turnId,
    `service:${agent.ctx.actor.id}`,
  ]);
  const decision = { agentId: agent.agentId, callId: parked.callId, decision: "deny" } as const;
  await expect(decideApproval(agent.ctx, decision)).rejects.toMatchObject({ code: "forbidden" });
});

const fromChannel = (of: SeededAgent): Ctx => ({
  ...of.ctx,
  actor: { kind: "channel", id: "slack:T1:U1" },
});

test("people of channels decide only where the turn's version lets them", async () => {
  const parked = await park();
  const decision = { agentId: agent.agentId, callId: parked.callId, decision: "deny" } as const;
  await expect(decideApproval(fromChannel(agent), decision)).rejects.toMatchObject({
    code: "forbidden",
    message: expect.stringContaining("approvals.channel"),
  });
  const open = await seedAgent(
    berth,
    manifestWith({ approvals: { channel: true, self: false, expiresInMs: 1_000 } }),
  );
  const { callId } = await park(open);
  const allowed = { agentId: open.agentId, callId, decision: "deny" } as const;
  await decideApproval(fromChannel(open), allowed);
  const [row] = await berth.sql(`SELECT "by" FROM approval WHERE call_id = $1`, [callId]);
  expect(row).toEqual({ by: "channel:slack:T1:U1" });
});

test("the permission counts and not whose the session is", async () => {
  const parked = await park();
  const viewer: Ctx = { ...agent.otherCtx, permissions: ROLE_PERMISSIONS.viewer };
  const decision = { agentId: agent.agentId, callId: parked.callId, decision: "approve" } as const;
  await expect(decideApproval(viewer, decision)).rejects.toMatchObject({
    code: "forbidden",
    details: { permission: "approvals:decide" },
  });
  const operator: Ctx = { ...agent.otherCtx, permissions: ROLE_PERMISSIONS.operator };
  expect(await decideApproval(operator, decision)).toMatchObject({ decision: "approve" });
});

test("calls that nobody was asked about, of other sessions and other orgs, are not found", async () => {
  const [first, second] = [await park(), await park()];
  const other = await seedAgent(berth);
  const foreign = await park(other);
  const headers = await bearerFor(agent, { permissions: ["approvals:decide"] });
  const ask = (sessionId: string, callId: string) =>
    send("POST", routeOf({ ...first, sessionId, callId }), {
      json: { decision: "approve" },
      headers,
    });
  const answers = await Promise.all([
    ask(first.sessionId, newId("call")),
    ask(first.sessionId, second.callId),
    ask(foreign.sessionId, foreign.callId),
    ask(first.sessionId, foreign.callId),
    ask(newId("ses"), first.callId),
  ]);
  expect(answers.map(({ status, body }) => [status, body.error])).toEqual(
    Array(5).fill([404, "not_found"]),
  );
  const pending = await berth.sql("SELECT 1 FROM approval WHERE decision = 'pending'");
  expect(pending.length).toBeGreaterThanOrEqual(3);
});

test("a reason holds 2,000 characters and no more, and comes back as it was written", async () => {
  const parked = await park();
  const headers = await bearerFor(agent, { permissions: ["approvals:decide"] });
  const deny = (reason: unknown) =>
    send("POST", routeOf(parked), { json: { decision: "deny", reason }, headers });
  const tooLong = await deny("x".repeat(2_001));
  expect([tooLong.status, tooLong.body.error]).toEqual([400, "invalid_request"]);
  expect((await deny(7)).status).toBe(400);
  const bad = await send("POST", routeOf(parked), { json: { decision: "maybe" }, headers });
  expect(bad.status).toBe(400);
  const reason = `"quoted"\u0000 \ud83d ☂ ${"x".repeat(1_986)}`;
  expect(reason).toHaveLength(2_000);
  expect((await deny(reason)).status).toBe(200);
  const [event] = await eventsOf(parked.sessionId);
  expect(event!.data).toMatchObject({ decision: "deny", reason });
  const { approvals } = await listApprovals(agent.ctx, { agentId: agent.agentId });
  expect(approvals[0]!.reason).toBe(reason);
});

test("a decision is audited with its reason", async () => {
  const { callId, sessionId } = await park();
  await decideApproval(agent.otherCtx, {
    ...{ agentId: agent.agentId, callId, decision: "deny" },
    reason: "  too risky ",
  });
  const [row] = await berth.sql(
    "SELECT actor, after FROM audit_entry WHERE action = $1 AND org_id = $2",
    ["approval.decide", agent.orgId],
  );
  expect(row).toMatchObject({
    actor: `service:${agent.otherCtx.actor.id}`,
    after: { decision: "deny", reason: "too risky", sessionId, toolName: "promote" },
  });
});

test("lists start with what waits, page through everything once, and filter", async () => {
  const made: Parked[] = [];
  for (let i = 0; i < 7; i++) made.push(await park());
  const [first, , third] = made;
  for (const parked of [first!, third!]) {
    const { callId } = parked;
    const decision = { agentId: agent.agentId, callId, decision: "approve" } as const;
    await decideApproval(agent.otherCtx, decision);
  }
  const newest = made.map(({ callId }) => callId).reverse();
  const resolved = [third!.callId, first!.callId];
  const expected = [...newest.filter((id) => !resolved.includes(id)), ...resolved];

  const headers = await bearerFor(agent, { permissions: ["sessions:read"] });
  const seen: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const query: string = cursor ? `?limit=2&cursor=${cursor}` : "?limit=2";
    const { status, body } = await send("GET", `/api/v1/orgs/${agent.orgId}/approvals${query}`, {
      headers,
    });
    expect(status).toBe(200);
    seen.push(...body.approvals.map(({ callId }: Parked) => callId));
    cursor = body.nextCursor;
  }
  expect(seen).toEqual(expected);

  const idsOf = async (query: string) => {
    const path = `/api/v1/orgs/${agent.orgId}/agents/agent/approvals${query}`;
    const { body } = await send("GET", path, { headers });
    return body.approvals.map(({ callId }: Parked) => callId);
  };
  expect(await idsOf("?status=resolved")).toEqual(resolved);
  expect(await idsOf("?status=pending")).toEqual(expected.slice(0, 5));
  expect(await idsOf(`?sessionId=${first!.sessionId}`)).toEqual([first!.callId]);
  const wrong = await send("GET", `/api/v1/orgs/${agent.orgId}/approvals?cursor=nothing`, {
    headers,
  });
  expect(wrong.status).toBe(400);
});

test("an approval is listed with what people need to decide", async () => {
  const { callId, sessionId, turnId } = await park();
  const { approvals } = await listOrgApprovals(agent.otherCtx, {});
  expect(approvals).toEqual([
    {
      ...{ callId, sessionId, turnId, agent: "agent", version: 1, toolName: "promote" },
      ...{ input: { to: "production" }, decision: "pending", by: null, reason: null },
      principal: `service:${agent.ctx.actor.id}`,
      mayDecide: true,
      requestedAt: expect.any(String),
      expiresAt: expect.any(String),
      decidedAt: null,
    },
  ]);
});

test("the org's route decides for every agent, and not with a key for one", async () => {
  const { callId } = await park();
  const path = `/api/v1/orgs/${agent.orgId}/approvals/${callId}`;
  const permissions = ["approvals:decide"] as const;
  const ofAgent = await bearerFor(agent, {
    ...{ permissions: [...permissions], agentId: agent.agentId },
  });
  const refused = await send("POST", path, { json: { decision: "approve" }, headers: ofAgent });
  expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
  const headers = await bearerFor(agent, { permissions: [...permissions] });
  const { status } = await send("POST", path, { json: { decision: "approve" }, headers });
  expect(status).toBe(200);
});
