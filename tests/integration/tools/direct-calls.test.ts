import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { SessionEvent } from "../../../src/protocol/event";
import type { ToolManifest } from "../../../src/protocol/manifest";
import type { CallSession, RuntimeCall } from "../../../src/protocol/runtime-rpc";
import { newId } from "../../../src/server/platform/id";
import { provideInvoke } from "../../../src/server/sandbox";
import { callTool } from "../../../src/server/tools";
import { claimTurns, sweepTurns } from "../../../src/server/turns";
import { bundleOf, guestInvoke } from "../../support/guest-invoke";
import { manifestWith, type SeededAgent, seedAgent } from "../../support/seed-agent";
import { bearerFor, send } from "../../support/test-api";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

interface Context {
  toolCallId: string;
  session: CallSession;
  signal: AbortSignal;
  now(): Date;
}
interface Waiting {
  ctx: Context;
  finish: (result: unknown) => void;
}

/** Calls of `wait` tools that run now, and whoever waits for the next one. */
let waiting: Waiting[] = [];
let arrived: (() => void)[] = [];

const number = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
const wait = (_input: unknown, ctx: Context) =>
  new Promise((finish) => {
    waiting.push({ ctx, finish });
    for (const tell of arrived) tell();
  });
const explode = (): never => {
  throw new Error("exploded");
};

/** What each tool exports; the manifest's facts follow from it. */
const TOOLS: Record<string, Record<string, unknown>> = {
  about: { effect: "read", execute: (_: unknown, ctx: Context) => ({ ...ctx.session }) },
  look: { effect: "read", inputSchema: number, execute: ({ n }: { n: number }) => n + 1 },
  change: { effect: "write", inputSchema: number, execute: ({ n }: { n: number }) => n * 2 },
  undeclared: { execute: () => "ran" },
  sometimes: {
    effect: ({ dry }: { dry: boolean }) => (dry ? "read" : "write"),
    execute: () => "ran",
  },
  gated: { needsApproval: true, execute: () => "ran" },
  mostly: { needsApproval: ({ n }: { n: number }) => n > 1, execute: () => "ran" },
  large: {
    effect: "read",
    execute: ({ bytes }: { bytes: number }) => "x".repeat(bytes),
  },
  fails: { effect: "write", execute: explode },
  waits: { effect: "write", execute: wait },
  peeks: { effect: "read", execute: wait },
  stubbed: { effect: "write", dryRunResult: { published: false }, execute: explode },
  bounded: {
    effect: "read",
    inputSchema: { type: "object", properties: { since: { type: "string" } } },
    timeArgs: ["since"],
    execute: (_: unknown, ctx: Context) => ctx.now().toISOString(),
  },
  misspelled: { effect: "read", inputSchema: number, timeArgs: ["sinse"], execute: () => "ran" },
};

const factOf = (value: unknown, absent: string) =>
  typeof value === "function" ? "function" : ((value as string | undefined) ?? absent);
const APPROVAL: Record<string, ToolManifest["needsApproval"]> = { true: "always" };
const toolManifest = ([name, tool]: [string, Record<string, unknown>]): ToolManifest => ({
  name,
  file: `bot/tools/${name}.ts`,
  description: name,
  execution: "server",
  ...(tool.inputSchema ? { inputSchema: tool.inputSchema as Record<string, unknown> } : {}),
  effect: factOf(tool.effect, "write") as ToolManifest["effect"],
  needsApproval:
    APPROVAL[String(tool.needsApproval)] ??
    (factOf(tool.needsApproval, "never") as ToolManifest["needsApproval"]),
  timeArgs: (tool.timeArgs as string[] | undefined) ?? [],
  timeoutMs: 60_000,
});

const script: ToolManifest = {
  ...toolManifest(["script", {}]),
  execution: "agent",
  script: "#!/bin/sh\n",
};
const manifest = manifestWith({ tools: [...Object.entries(TOOLS).map(toolManifest), script] });

let berth: TestPlatform;
let agent: SeededAgent;
let headers: { authorization: string };
let calls: RuntimeCall[] = [];

beforeAll(async () => {
  berth = await startTestPlatform();
});
beforeEach(async () => {
  agent = await seedAgent(berth, manifest);
  headers = await bearerFor(agent, { permissions: [...agent.ctx.permissions] });
  calls = [];
  waiting = [];
  arrived = [];
  provideInvoke(guestInvoke(bundleOf(TOOLS), (call) => calls.push(call)));
});
afterAll(async () => {
  provideInvoke(undefined);
  await berth.stop();
});

const call = (name: string, body: object = {}, as: HeadersInit = headers) =>
  send("POST", `/${agent.orgId}/agent/v1/tools/${name}`, { json: body, headers: as });

/** An idle session of the caller of `headers`, as it is between two turns. */
async function idleSession() {
  const { body } = await call("about");
  calls = [];
  const { principal } = body.result.auth as { principal: string };
  const sessionId = newId("ses");
  const continuationToken = `http:${sessionId}`;
  await berth.sql(
    `INSERT INTO session (org_id, id, agent_id, channel, mode, principal, continuation_token)
     VALUES ($1, $2, $3, 'http', 'chat', $4, $5)`,
    [agent.orgId, sessionId, agent.agentId, principal, continuationToken],
  );
  return { sessionId, continuationToken, principal };
}

/** A session whose turn is in some state. */
async function busySession(status = "running") {
  const session = await idleSession();
  const turnId = newId("trn");
  await berth.sql(
    `INSERT INTO turn (org_id, id, session_id, agent_id, status, lease_until)
     VALUES ($1, $2, $3, $4, $5, now() + interval '1 hour')`,
    [agent.orgId, turnId, session.sessionId, agent.agentId, status],
  );
  return { ...session, turnId };
}

async function logOf(sessionId: string): Promise<SessionEvent[]> {
  const path = `/${agent.orgId}/agent/v1/session/${sessionId}/events?format=json`;
  const { body } = await send("GET", path, { headers });
  return body as SessionEvent[];
}

const actionsOf = async (sessionId: string) =>
  (await logOf(sessionId)).filter(({ type }) => type.startsWith("action"));

const nextWaiting = () =>
  waiting.length > 0 ? Promise.resolve() : new Promise<void>((resolve) => arrived.push(resolve));

/** Starts a call that holds its session until `finish`. */
async function holding(sessionId: string, name = "waits") {
  const answer = call(name, { sessionId });
  await nextWaiting();
  const [held] = waiting.splice(0);
  return { answer, ctx: held!.ctx, finish: held!.finish };
}

describe("a call on its own", () => {
  test("has the outcome, the id the tool saw and an identity of its own", async () => {
    const { status, body } = await call("about");
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: true,
      toolName: "about",
      callId: expect.stringMatching(/^call_/),
      isError: false,
      result: {
        id: body.callId,
        channel: "http",
        mode: "chat",
        auth: { principal: expect.stringMatching(/^service:/), label: "test" },
        dryRun: false,
      },
      durationMs: expect.any(Number),
    });
    const [made] = calls as Extract<RuntimeCall, { kind: "tool" }>[];
    expect(made!.scope).toMatchObject({ toolCallId: body.callId, scratch: true });
    expect(made!.scope.workspace).toBe(body.callId);
  });

  test("an unknown name answers 404 and lists the names there are", async () => {
    const { status, body } = await call("nothing");
    expect({ status, error: body.error }).toEqual({ status: 404, error: "unknown_tool" });
    expect(body.tools).toEqual(Object.keys(TOOLS));
  });

  test("an agent tool cannot be called from outside", async () => {
    const { status, body } = await call("script");
    expect({ status, error: body.error }).toEqual({ status: 400, error: "tool_not_callable" });
  });

  test("input that the schema rejects answers 400 with its issues, before execute", async () => {
    const { status, body } = await call("look", { input: { n: "one" } });
    expect({ status, error: body.error }).toEqual({ status: 400, error: "invalid_tool_input" });
    expect(body.issues).toEqual([{ path: "n", message: "must be number" }]);
  });

  test("what a tool throws is an outcome with isError", async () => {
    const { status, body } = await call("fails");
    expect(status).toBe(200);
    expect(body).toMatchObject({ ok: true, isError: true, result: "exploded" });
  });

  test("a gated tool needs approve, and approve needs approvals:decide", async () => {
    for (const [name, input] of [
      ["gated", {}],
      ["mostly", { n: 2 }],
    ] as const) {
      expect((await call(name, { input })).body.error).toBe("approval_required");
      expect((await call(name, { input, approve: true })).body.result).toBe("ran");
      const cannot = await bearerFor(agent, { permissions: ["tools:call", "agents:read"] });
      expect((await call(name, { input, approve: true }, cannot)).status).toBe(403);
    }
    expect((await call("mostly", { input: { n: 1 } })).body.result).toBe("ran");
  });

  test("a dry run executes reads, and answers writes in their place", async () => {
    const dryRun = true;
    expect((await call("look", { input: { n: 1 }, dryRun })).body).toMatchObject({ result: 2 });
    expect((await call("undeclared", { dryRun })).body).toMatchObject({
      isError: false,
      result: "Operation acknowledged.",
      stubbed: true,
    });
    expect((await call("stubbed", { dryRun })).body).toMatchObject({
      result: { published: false },
      stubbed: true,
    });
    expect((await call("gated", { dryRun })).body).toMatchObject({ stubbed: true });
  });

  test("asOf freezes the call and bounds its time arguments", async () => {
    const asOf = "2024-03-01T14:00:00+02:00";
    const within = { since: "2024-03-01T12:00:00Z" };
    const bounded = await call("bounded", { input: within, asOf });
    expect(bounded.body).toMatchObject({ isError: false, result: "2024-03-01T12:00:00.000Z" });
    const later = await call("bounded", { input: { since: "2024-03-01T12:00:01Z" }, asOf });
    expect(later.body).toMatchObject({ isError: true });
    expect(later.body.result).toContain("absolute bounds");
    expect((await call("bounded", { input: {}, asOf })).body.isError).toBe(true);
    expect((await call("bounded", { input: {} })).body.isError).toBe(false);
    const { platform } = berth;
    const future = new Date(platform.clock.now().getTime() + 60_000).toISOString();
    for (const wrong of ["2024-03-01T12:00:00", "2024-03-01", future]) {
      const { body } = await call("bounded", { asOf: wrong });
      expect(body).toMatchObject({ error: "invalid_request", issues: [{ path: "asOf" }] });
    }
  });

  test("timeArgs that the schema does not have refuse asOf", async () => {
    const { status, body } = await call("misspelled", {
      input: { n: 1 },
      asOf: "2024-03-01T12:00:00Z",
    });
    expect({ status, error: body.error }).toEqual({ status: 400, error: "invalid_time_args" });
    expect((await call("misspelled", { input: { n: 1 } })).body.result).toBe("ran");
  });
});

describe("a call bound by an id or a token", () => {
  test.each(["id", "token"])(
    "an existing session, by its %s, gives it identity, workspace and log",
    async (by) => {
      const { sessionId, continuationToken } = await idleSession();
      const before = (await logOf(sessionId)).length;
      const { body } = await call("about", by === "id" ? { sessionId } : { continuationToken });
      expect(body.result).toMatchObject({
        id: sessionId,
        channel: "http",
        mode: "chat",
        continuationKey: continuationToken.slice("http:".length),
      });
      const made = calls.at(-1) as Extract<RuntimeCall, { kind: "tool" }>;
      expect(made.scope).toMatchObject({ workspace: sessionId, toolCallId: body.callId });
      expect(made.scope.scratch).toBeUndefined();
      expect(body.sessionId).toBe(sessionId);
      const events = (await logOf(sessionId)).slice(before);
      expect(events.map(({ type }) => type)).toEqual([
        "actions.requested",
        "action.result",
        "actions.completed",
      ]);
      const [turnId] = new Set(events.map((event) => event.turnId));
      expect(turnId).toMatch(/^trn_/);
      expect(events[0]!.data).toEqual({
        calls: [{ callId: body.callId, toolName: "about", input: {} }],
      });
      expect(events[1]!.data).toMatchObject({ callId: body.callId, isError: false });
    },
  );

  test("only its owner may bind a call to a session", async () => {
    const { sessionId, continuationToken } = await idleSession();
    const other = await bearerFor({ ...agent, ctx: agent.otherCtx });
    for (const body of [{ sessionId }, { continuationToken }]) {
      const answer = await call("look", { input: { n: 1 }, ...body }, other);
      expect({ status: answer.status, error: answer.body.error }).toEqual({
        status: 403,
        error: "forbidden",
      });
    }
  });

  test("a session that does not exist, and another org's, answer 404 alike", async () => {
    const mine = agent;
    agent = await seedAgent(berth, manifest);
    headers = await bearerFor(agent);
    const theirs = await idleSession();
    agent = mine;
    headers = await bearerFor(agent);
    const answers = await Promise.all(
      [theirs.sessionId, newId("ses")].map((sessionId) => call("look", { sessionId })),
    );
    for (const { status, body } of answers) {
      expect({ status, error: body.error }).toEqual({ status: 404, error: "session_not_found" });
    }
    const { body } = await call("about", { continuationToken: theirs.continuationToken });
    expect(body.result.id).toBe(body.callId);
  });

  test("a token without a session runs in a scratch workspace under the token's identity", async () => {
    const { body } = await call("about", { continuationToken: "tickets:team:42" });
    expect(body.result).toMatchObject({
      id: body.callId,
      channel: "tickets",
      continuationKey: "team:42",
    });
    expect(calls.at(-1)).toMatchObject({ scope: { workspace: body.callId, scratch: true } });
    expect(body.sessionId).toBeUndefined();
  });

  test("a kept answer goes with the session, however the call was bound to it", async () => {
    const { sessionId, continuationToken } = await idleSession();
    const keyed = { ...headers, "idempotency-key": newId("call") };
    const answer = () => call("look", { continuationToken, input: { n: 1 } }, keyed);
    const { body } = await answer();
    expect((await answer()).body).toEqual(body);
    const kept = () =>
      berth.sql("SELECT session_id FROM idempotency_key WHERE key = $1", [
        keyed["idempotency-key"],
      ]);
    expect(await kept()).toEqual([{ session_id: sessionId }]);
    await send("DELETE", `/${agent.orgId}/agent/v1/session/${sessionId}`, { headers });
    expect(await kept()).toEqual([]);
  });

  test.each(["", "http", ":key", "http:"])("%j is no continuation token", async (token) => {
    const { status, body } = await call("look", { continuationToken: token, input: { n: 1 } });
    expect({ status, error: body.error }).toEqual({
      status: 400,
      error: "invalid_continuation_token",
    });
  });

  test("a token together with a session is refused", async () => {
    const { sessionId, continuationToken } = await idleSession();
    const { body } = await call("look", { sessionId, continuationToken });
    expect(body.error).toBe("invalid_continuation_token");
    expect(calls).toEqual([]);
  });

  test("invalid input, a closed gate and a wrong name leave nothing in the log", async () => {
    const { sessionId } = await idleSession();
    expect((await call("change", { sessionId, input: {} })).body.error).toBe("invalid_tool_input");
    expect((await call("gated", { sessionId })).body.error).toBe("approval_required");
    const closed = await call("mostly", { sessionId, input: { n: 2 } });
    expect(closed.body.error).toBe("approval_required");
    expect((await call("nothing", { sessionId })).body.error).toBe("unknown_tool");
    expect(await actionsOf(sessionId)).toEqual([]);
    expect(calls.map(({ kind }) => kind)).toEqual(["gate", "gate"]);
    const approved = { sessionId, input: { n: 2 }, approve: true };
    expect((await call("mostly", approved)).body.result).toBe("ran");
  });

  test("what a tool throws in a session is its result there too", async () => {
    const { sessionId } = await idleSession();
    expect((await call("fails", { sessionId })).body).toMatchObject({
      isError: true,
      result: "exploded",
    });
    expect((await actionsOf(sessionId))[1]).toMatchObject({
      type: "action.result",
      data: { isError: true, result: "exploded" },
    });
  });

  test("the caller has a large result whole; the log has its beginning and an artifact", async () => {
    const { sessionId } = await idleSession();
    const whole = 1024 * 1024;
    const fits = await call("large", { sessionId, input: { bytes: whole } });
    const larger = await call("large", { sessionId, input: { bytes: whole + 1 } });
    expect([fits.body.result.length, larger.body.result.length]).toEqual([whole, whole + 1]);
    const logged = (await logOf(sessionId)).filter((event) => event.type === "action.result");
    expect(logged[0]!.data.result).toHaveLength(whole);
    const [shown, note] = String(logged[1]!.data.result).split("\n");
    expect(shown).toBe("x".repeat(256 * 1024));
    const [, id] = /all of it is the artifact (art_\w+)/i.exec(note!)!;
    const path = `/${agent.orgId}/agent/v1/artifacts/${id}/content`;
    expect((await send("GET", path, { headers })).body).toHaveLength(whole + 1);
  });

  test("an input larger than a log takes is refused before it runs", async () => {
    const { sessionId } = await idleSession();
    const input = { text: "x".repeat(4 * 1024 * 1024) };
    for (const name of ["undeclared", "about"]) {
      expect((await call(name, { sessionId, input })).body.error).toBe("body_too_large");
    }
    expect(await actionsOf(sessionId)).toEqual([]);
  });
});

describe("a session that is a dry run or frozen", () => {
  test("makes its direct calls so, and a call cannot undo it", async () => {
    const { sessionId } = await idleSession();
    await berth.sql(
      "UPDATE session SET dry_run = true, as_of = '2024-03-01T12:00:00Z' WHERE id = $1",
      [sessionId],
    );
    const asOf = "2024-05-01T00:00:00Z";
    const { body } = await call("about", { sessionId, dryRun: false, asOf });
    expect(body.result).toMatchObject({ dryRun: true, asOf: "2024-03-01T12:00:00.000Z" });
    const earlier = await call("about", { sessionId, asOf: "2024-01-01T00:00:00Z" });
    expect(earlier.body.result.asOf).toBe("2024-01-01T00:00:00.000Z");
    expect((await call("undeclared", { sessionId })).body).toMatchObject({ stubbed: true });
    const results = (await actionsOf(sessionId)).filter(({ type }) => type === "action.result");
    expect(results.at(-1)!.data).toMatchObject({
      stubbed: true,
      result: "Operation acknowledged.",
    });
  });

  test("a refused time argument is the call's result, and is logged", async () => {
    const { sessionId } = await idleSession();
    const asked = { sessionId, asOf: "2024-03-01T12:00:00Z", input: { since: "-1h" } };
    const { body } = await call("bounded", asked);
    expect(body).toMatchObject({ isError: true, result: expect.stringContaining("since") });
    const logged = await actionsOf(sessionId);
    expect(logged).toHaveLength(3);
    expect(logged[1]!.data).toMatchObject({ isError: true, result: body.result });
    expect(calls.map(({ kind }) => kind)).toEqual(["gate"]);
  });
});

describe("a busy session", () => {
  test("reads run beside the turn, under a turn id of their own", async () => {
    const { sessionId, turnId } = await busySession();
    const { body } = await call("look", { sessionId, input: { n: 1 } });
    expect(body.result).toBe(2);
    const events = await actionsOf(sessionId);
    expect(events).toHaveLength(3);
    for (const event of events) expect(event.turnId).not.toBe(turnId);
    expect(new Set(events.map((event) => event.turnId)).size).toBe(1);
  });

  test("writes, undeclared calls and functions that say write answer 409 session_busy", async () => {
    const { sessionId } = await busySession();
    for (const status of ["queued", "running", "parked"]) {
      await berth.sql("UPDATE turn SET status = $2 WHERE session_id = $1", [sessionId, status]);
      for (const [name, input] of [
        ["change", { n: 1 }],
        ["undeclared", {}],
        ["sometimes", { dry: false }],
      ] as const) {
        const { status: code, body } = await call(name, { sessionId, input });
        expect({ code, error: body.error }).toEqual({ code: 409, error: "session_busy" });
      }
      const { body } = await call("sometimes", { sessionId, input: { dry: true } });
      expect(body.result).toBe("ran");
    }
    expect((await actionsOf(sessionId)).length).toBe(9);
    expect(calls.filter(({ kind }) => kind === "tool")).toHaveLength(3);
  });

  test("what a function of the input calls a read may be sent again, and nothing else", async () => {
    const { sessionId } = await idleSession();
    const guest = guestInvoke(bundleOf(TOOLS));
    const repeatable: unknown[] = [];
    provideInvoke((ref, made, options) => {
      if (made.kind === "tool") repeatable.push(options.repeatable);
      return guest(ref, made, options);
    });
    for (const dry of [true, false]) await call("sometimes", { sessionId, input: { dry } });
    expect(repeatable).toEqual([true, false]);
  });

  test("a write in an idle session holds it: another write is busy, a read is not", async () => {
    const { sessionId } = await idleSession();
    const { answer, finish, ctx } = await holding(sessionId);
    const open = (await actionsOf(sessionId)).map(({ type }) => type);
    expect(open).toEqual(["actions.requested"]);
    expect((await call("undeclared", { sessionId })).body.error).toBe("session_busy");
    expect((await call("look", { sessionId, input: { n: 1 } })).body.result).toBe(2);
    finish("done");
    const { body } = await answer;
    expect(body).toMatchObject({ isError: false, result: "done", callId: ctx.toolCallId });
    expect((await call("undeclared", { sessionId })).body.result).toBe("ran");
    const [row] = await berth.sql("SELECT status FROM session WHERE id = $1", [sessionId]);
    expect(row).toEqual({ status: "waiting" });
  });

  test("of many writes at once one holds the session", async () => {
    const { sessionId } = await idleSession();
    const racing = Array.from({ length: 8 }, () => call("waits", { sessionId }));
    let refused = 0;
    const allRefused = new Promise<void>((resolve) => {
      for (const answer of racing) {
        void answer.then(({ status }) => {
          if (status === 409 && ++refused === 7) resolve();
        });
      }
    });
    await allRefused;
    await nextWaiting();
    expect(waiting).toHaveLength(1);
    waiting[0]!.finish("won");
    const answers = await Promise.all(racing);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(409)]);
    expect(await actionsOf(sessionId)).toHaveLength(3);
  });

  test("messages that arrive meanwhile wait behind the call and do not cancel it", async () => {
    const { sessionId } = await idleSession();
    const { answer, finish, ctx } = await holding(sessionId);
    const path = `/${agent.orgId}/agent/v1/session/${sessionId}`;
    const say = (json: object) => send("POST", path, { json, headers });
    const preempting = await say({ message: "and then" });
    const coalesced = await say({ message: "and more", admission: "coalesce" });
    expect([preempting.status, coalesced.status]).toEqual([202, 202]);
    expect(ctx.signal.aborted).toBe(false);
    expect(await claimTurns("w", 100)).toEqual([]);
    finish("done");
    expect((await answer).body.result).toBe("done");
    const [claimed] = (await claimTurns("w", 100)).filter((turn) => turn.sessionId === sessionId);
    expect(claimed!.turnId).toBe(preempting.body.turnId);
    expect(claimed!.messageIds).toContain(preempting.body.messageId);
    const messages = await berth.sql(
      "SELECT 1 FROM message WHERE session_id = $1 AND turn_id IS NULL",
      [sessionId],
    );
    expect(messages).toEqual([]);
  });

  test("a message that waits for the call alone has a turn once it ends", async () => {
    const { sessionId } = await idleSession();
    const { answer, finish } = await holding(sessionId);
    const { body } = await send("POST", `/${agent.orgId}/agent/v1/session/${sessionId}`, {
      json: { message: "and then", admission: "coalesce" },
      headers,
    });
    finish("done");
    await answer;
    const [claimed] = (await claimTurns("w", 100)).filter((turn) => turn.sessionId === sessionId);
    expect(claimed!.messageIds).toEqual([body.messageId]);
  });

  test("stop ends turns, not the call that holds the session", async () => {
    const { sessionId } = await idleSession();
    const { answer, finish, ctx } = await holding(sessionId);
    const path = `/${agent.orgId}/agent/v1/session/${sessionId}/stop`;
    expect((await send("POST", path, { json: {}, headers })).body.stopped).toBe(false);
    expect(ctx.signal.aborted).toBe(false);
    finish("done");
    expect((await answer).body.result).toBe("done");
  });

  test.each(["turn", "queue"])(
    "stopping the %s behind a call leaves the session idle",
    async (what) => {
      const { sessionId } = await idleSession();
      const { answer, finish } = await holding(sessionId);
      const path = `/${agent.orgId}/agent/v1/session/${sessionId}`;
      const { body: sent } = await send("POST", path, { json: { message: "and then" }, headers });
      const json = what === "turn" ? { turnId: sent.turnId } : { clearQueued: true };
      expect((await send("POST", `${path}/stop`, { json, headers })).body.stopped).toBe(true);
      const status = async () => (await send("GET", path, { headers })).body.status;
      expect(await status()).toBe("waiting");
      expect((await logOf(sessionId)).map(({ type }) => type).slice(-2)).toEqual([
        "turn.failed",
        "session.waiting",
      ]);
      finish("done");
      expect((await answer).body.result).toBe("done");
      expect(await status()).toBe("waiting");
    },
  );

  test("stopping one of two turns behind a call leaves the other in line", async () => {
    const { sessionId } = await idleSession();
    const { answer, finish } = await holding(sessionId);
    const path = `/${agent.orgId}/agent/v1/session/${sessionId}`;
    const say = (message: string) => send("POST", path, { json: { message }, headers });
    const [first, second] = [await say("one"), await say("two")];
    await send("POST", `${path}/stop`, { json: { turnId: first.body.turnId }, headers });
    expect((await send("GET", path, { headers })).body.status).toBe("queued");
    finish("done");
    await answer;
    const [claimed] = (await claimTurns("w", 100)).filter((turn) => turn.sessionId === sessionId);
    expect(claimed!.turnId).toBe(second.body.turnId);
  });

  test("a call that outlasts its lease keeps its session by its heartbeat", async () => {
    const { sessionId } = await idleSession();
    vi.useFakeTimers({ toFake: ["setInterval"] });
    const { answer, finish } = await holding(sessionId);
    const lease = async () => {
      const [row] = await berth.sql<{ left: string }>(
        "SELECT extract(epoch FROM lease_until - now()) AS left FROM turn WHERE session_id = $1",
        [sessionId],
      );
      return Number(row!.left);
    };
    await berth.sql("UPDATE turn SET lease_until = now() + interval '2 s' WHERE session_id = $1", [
      sessionId,
    ]);
    vi.advanceTimersByTime(3_000);
    vi.useRealTimers();
    await expect.poll(lease).toBeGreaterThan(5);
    await sweepTurns();
    finish("done");
    expect((await answer).body.result).toBe("done");
  });

  test("every call leaves an audit row that names its session", async () => {
    const { sessionId } = await idleSession();
    for (const name of ["undeclared", "about"]) {
      const { body } = await call(name, { sessionId });
      const [row] = await berth.sql<{ after: object }>(
        "SELECT after FROM audit_entry WHERE org_id = $1 AND after ->> 'callId' = $2",
        [agent.orgId, body.callId],
      );
      expect(row!.after).toMatchObject({ toolName: name, sessionId, approved: false });
    }
  });

  test("a call whose process was lost ends as a failed one, and the session goes on", async () => {
    const { sessionId } = await idleSession();
    const { answer, finish } = await holding(sessionId);
    await berth.sql(
      "UPDATE turn SET lease_until = now() - interval '1 s' WHERE session_id = $1 AND kind = 'call'",
      [sessionId],
    );
    await sweepTurns();
    const ended = await actionsOf(sessionId);
    expect(ended.map(({ type }) => type)).toEqual([
      "actions.requested",
      "action.result",
      "actions.completed",
    ]);
    expect(new Set(ended.map(({ turnId }) => turnId)).size).toBe(1);
    expect(ended[1]!.data).toMatchObject({
      toolName: "waits",
      isError: true,
      result: expect.stringContaining("may or may not"),
    });
    finish("too late");
    const { status, body } = await answer;
    expect({ status, error: body.error }).toEqual({ status: 503, error: "runtime_lost" });
    expect(await actionsOf(sessionId)).toEqual(ended);
    expect((await call("undeclared", { sessionId })).body.result).toBe("ran");
  });

  test("deleting the session aborts the call", async () => {
    const { sessionId } = await idleSession();
    const { answer, ctx } = await holding(sessionId);
    await send("DELETE", `/${agent.orgId}/agent/v1/session/${sessionId}`, { headers });
    expect((await answer).body.error).toBe("runtime_lost");
    expect(ctx.signal.aborted).toBe(true);
  });

  test("whoever asked may leave: the call is aborted and the session free", async () => {
    const { sessionId, principal } = await idleSession();
    const ctx = { ...agent.ctx, actor: { kind: "service", id: principal.split(":")[1]! } as const };
    const leaving = new AbortController();
    const answer = callTool(
      ctx,
      { id: agent.agentId, activeVersion: 1 },
      { toolName: "waits", input: {}, approve: false, sessionId, signal: leaving.signal },
    );
    await nextWaiting();
    leaving.abort();
    await expect(answer).rejects.toMatchObject({ code: "runtime_lost" });
    expect(waiting[0]!.ctx.signal.aborted).toBe(true);
    expect((await actionsOf(sessionId))[1]!.data).toMatchObject({ isError: true });
    expect((await call("undeclared", { sessionId })).body.result).toBe("ran");
  });
});
