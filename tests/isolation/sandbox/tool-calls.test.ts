import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CallSession, RuntimeCall, ToolOutcome } from "../../../src/protocol/runtime-rpc";
import type { Sandbox } from "../../../src/server/sandbox";
import { callTool, requireBubblewrap, SandboxHarness, toolCall } from "../../support/sandbox";

const BUNDLE = `
const tool = (execute, more = {}) => async () => ({ default: { description: "test", execute, ...more } });
const slow = { type: "object", properties: { s: { type: "string", pattern: "^(a+)+$" } } };
const HOST = { mcp: ["names", "listTools", "callTool"], github: ["getOctokit"], slack: ["getClient"],
  reminders: ["create", "list", "cancel"], otel: ["setAttributes", "increment", "record"] };
const refusal = (run) => { try { run(); return "answered"; } catch (e) { return e.code + ": " + e.message; } };
export const definitions = { tools: {
  about: tool((_, ctx) => ({ id: ctx.toolCallId, session: ctx.session, now: ctx.now().toISOString(),
    frozen: Object.isFrozen(ctx.session), host: Object.keys(ctx.host).toSorted() })),
  later: tool((_, ctx) => [
    ...Object.entries(HOST).flatMap(([service, names]) =>
      names.map((name) => refusal(() => ctx.host[service][name]("x")))),
    refusal(() => ctx.send("slack", "hi")), refusal(() => ctx.getSession("slack", "x")),
  ]),
  patterned: tool(() => "ran", { inputSchema: slow }),
  predicate: tool(() => "ran", { needsApproval: ({ s }) => /^(a+)+$/.test(s) }),
  writes: tool(() => "ran", { dryRunResult: ({ s }) => ({ would: s }) }),
  naps: tool(async ({ ms }) => { await new Promise((r) => setTimeout(r, ms)); return "rested"; },
    { effect: "read" }),
} };
`;
const HARD = { s: `${"a".repeat(40)}b` };

const withSession = (call: RuntimeCall, change: Partial<CallSession>): RuntimeCall => {
  if (call.kind !== "tool") throw new Error("a tool call is wanted");
  const { scope } = call;
  return { ...call, scope: { ...scope, session: { ...scope.session, ...change } } };
};

describe.skipIf(!requireBubblewrap())("tool calls in the agent's process", () => {
  let harness: SandboxHarness;
  let sandbox: Sandbox;

  beforeAll(async () => {
    harness = await SandboxHarness.open({
      driver: "bwrap",
      bundle: BUNDLE,
      limits: { hangMs: 300 },
    });
    sandbox = await harness.start();
  });
  afterAll(() => harness?.close());

  const resultOf = (outcome: ToolOutcome): unknown =>
    outcome.outcome === "returned" ? outcome.result : outcome;

  test("ctx has the call's id, its frozen session, and every host service", async () => {
    const asOf = "2026-03-01T12:00:00.000Z";
    const call = withSession(toolCall("about", {}), { asOf, continuationKey: "k" });
    const outcome = (await sandbox.call(call, { timeoutMs: 5_000 })) as ToolOutcome;
    expect(resultOf(outcome)).toEqual({
      id: "call_test",
      session: {
        id: "ses_test",
        channel: "http",
        mode: "chat",
        auth: { principal: "user:test" },
        dryRun: false,
        asOf,
        continuationKey: "k",
      },
      now: asOf,
      frozen: true,
      host: ["files", "github", "kv", "mcp", "otel", "reminders", "slack"],
    });
  });

  test("members of later versions name themselves as not available", async () => {
    const refusals = resultOf(await callTool(sandbox, "later", {})) as string[];
    const members = [
      ...["names", "listTools", "callTool"].map((name) => `host.mcp.${name}`),
      ...["host.github.getOctokit", "host.slack.getClient"],
      ...["create", "list", "cancel"].map((name) => `host.reminders.${name}`),
      ...["setAttributes", "increment", "record"].map((name) => `host.otel.${name}`),
      ...["send", "getSession"],
    ];
    expect(refusals).toHaveLength(members.length);
    for (const [i, name] of members.entries()) {
      expect(refusals[i]).toMatch(
        new RegExp(`^not_available: ctx\\.${name.replaceAll(".", "\\.")} `),
      );
    }
  });

  test("a gate decides and a dry run stubs without running the tool", async () => {
    const made = toolCall("writes", { s: "x" }) as Extract<RuntimeCall, { kind: "tool" }>;
    const { name, input, scope } = made;
    const gate = await sandbox.call({ kind: "gate", name, input, scope }, { timeoutMs: 5_000 });
    expect(gate).toEqual({ outcome: "open", effect: "write", needsApproval: false, input });
    const dry = await sandbox.call(withSession(made, { dryRun: true }), { timeoutMs: 5_000 });
    expect(dry).toMatchObject({ result: { would: "x" }, stubbed: true, effect: "write" });
  });

  test("a tool has its whole time limit and not more", async () => {
    expect(resultOf(await callTool(sandbox, "naps", { ms: 200 }, 5_000))).toBe("rested");
    const late = callTool(sandbox, "naps", { ms: 60_000 }, 200);
    await expect(late).rejects.toMatchObject({ code: "tool_timeout" });
    expect(resultOf(await callTool(sandbox, "naps", { ms: 1 }, 5_000))).toBe("rested");
  });

  test.each([
    ["a schema's pattern", "tool", "patterned"],
    ["a predicate's pattern", "tool", "predicate"],
    ["a schema's pattern at the gate", "gate", "patterned"],
  ] as const)(
    "%s that never ends times out there, while the host goes on",
    async (_n, kind, name) => {
      const hung = await harness.start(`org/hung-${kind}-${name}`);
      const made = toolCall(name, HARD) as Extract<RuntimeCall, { kind: "tool" }>;
      const { scope, input } = made;
      const call = kind === "gate" ? ({ kind, name, input, scope } as const) : made;
      const ended = expect(hung.call(call, { timeoutMs: 500 })).rejects.toMatchObject({
        code: "tool_timeout",
      });
      // Another process answers meanwhile.
      expect(resultOf(await callTool(sandbox, "patterned", { s: "aaa" }))).toBe("ran");
      await ended;
      expect((await hung.exited).reason).toContain("event loop is blocked");
    },
  );
});
