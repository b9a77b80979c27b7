import { expect, test } from "vitest";
import { z } from "zod";
import type { CallSession, RuntimeCall, ToolOutcome } from "../protocol/runtime-rpc";
import type { Bundle, Loader } from "./definitions";
import { gateTool } from "./gate-tool";
import { runTool } from "./run-tool";

const SESSION: CallSession = {
  id: "ses_1",
  channel: "http",
  mode: "chat",
  auth: { principal: "user:u" },
  dryRun: false,
};

const bundleOf = (tool: unknown): Bundle => {
  const load: Loader = () => Promise.resolve({ default: tool });
  return { definitions: { tools: { it: load } }, files: {} };
};

interface Asked {
  session?: Partial<CallSession>;
  approved?: boolean;
  name?: string;
}

const callOf = (input: unknown, { session, name = "it" }: Asked = {}) => ({
  name,
  input,
  scope: { toolCallId: "call_1", session: { ...SESSION, ...session }, workspace: "ses_1" },
});

/** What a tool answers; `thrown` collects what goes to the agent's log. */
function run(tool: unknown, input: unknown = {}, asked: Asked = {}, thrown: string[] = []) {
  const call = {
    kind: "tool",
    ...callOf(input, asked),
    approved: asked.approved === true,
  } as const;
  return runTool(call satisfies RuntimeCall, {
    bundle: bundleOf(tool),
    host: () => Promise.reject(new Error("no host")),
    folders: { workspaceRoot: "/workspace", stateRoot: "/state" },
    signal: new AbortController().signal,
    onThrown: (text) => thrown.push(text),
  });
}

const gate = (tool: unknown, input: unknown = {}, asked: Asked = {}) =>
  gateTool(bundleOf(tool), callOf(input, asked));

const explode = (): never => {
  throw new Error("exploded");
};
const dry = { session: { dryRun: true } };
const result = (outcome: ToolOutcome) =>
  outcome.outcome === "returned" ? outcome.result : outcome;

test.each([
  ["read", "read", "read"],
  ["write", "write", "write"],
  ["nothing", undefined, "write"],
  ["a function that says read", ({ n }: { n: number }) => (n > 2 ? "read" : "write"), "read"],
  ["a promise of read", () => Promise.resolve("read"), "read"],
  ["a function that says nonsense", () => "maybe", "write"],
  ["a function that throws", explode, "write"],
])("the effect of a tool with %s", async (_name, effect, resolved) => {
  const tool = { effect, execute: () => "ran" };
  expect(await run(tool, { n: 3 })).toEqual({
    outcome: "returned",
    result: "ran",
    isError: false,
    effect: resolved,
  });
  expect(await gate(tool, { n: 3 })).toMatchObject({ outcome: "open", effect: resolved });
});

test("an effect is decided over the validated input, defaults included", async () => {
  const inputSchema = z.object({ mode: z.string().default("look") });
  const effect = ({ mode }: { mode: string }) => (mode === "look" ? "read" : "write");
  expect(await run({ inputSchema, effect, execute: () => 1 })).toMatchObject({ effect: "read" });
});

test.each([
  ["true", true, true],
  ["false", false, false],
  ["nothing", undefined, false],
  ["a predicate that holds", ({ env }: { env: string }) => env === "production", true],
  ["a promise of false", () => Promise.resolve(false), false],
  ["a predicate that throws", explode, true],
])("the approval of a tool with %s", async (_name, needsApproval, needed) => {
  const tool = { needsApproval, execute: () => "ran" };
  const input = { env: "production" };
  expect(await gate(tool, input)).toMatchObject({ outcome: "open", needsApproval: needed });
  const refused = { outcome: "approval_required" };
  expect(await run(tool, input)).toMatchObject(needed ? refused : { result: "ran" });
  expect(await run(tool, input, { approved: true })).toMatchObject({ result: "ran" });
});

test("a gate runs no tool and answers the validated input with its keys in order", async () => {
  const inputSchema = z.object({ b: z.number(), a: z.number().default(1), at: z.coerce.date() });
  const tool = { inputSchema, execute: explode };
  expect(JSON.stringify(await gate(tool, { at: "2026-01-01T00:00:00Z", b: 2 }))).toBe(
    JSON.stringify({
      outcome: "open",
      effect: "write",
      needsApproval: false,
      input: { a: 1, at: "2026-01-01T00:00:00.000Z", b: 2 },
    }),
  );
  expect(await gate(tool, { b: "no" })).toMatchObject({ outcome: "invalid_input" });
  expect(await gate(tool, {}, { name: "other" })).toEqual({ outcome: "unknown_tool" });
  const transformed = { inputSchema: z.object({ n: z.number() }).transform(({ n }) => BigInt(n)) };
  expect(await gate(transformed, { n: 1 })).toMatchObject({ input: { n: 1 } });
});

test("an error of the module refuses the gate and is the call's result", async () => {
  const broken: Bundle = { definitions: { tools: { it: explode as Loader } }, files: {} };
  expect(await gateTool(broken, callOf({}))).toEqual({ outcome: "refused", message: "exploded" });
  expect(await gate(7)).toMatchObject({ message: "it exports no tool as its default." });
  expect(await run(7)).toMatchObject({ outcome: "threw" });
});

test("a dry run executes reads and stubs writes, undeclared ones too", async () => {
  expect(await run({ effect: "read", execute: () => "ran" }, {}, dry)).toEqual({
    outcome: "returned",
    result: "ran",
    isError: false,
    effect: "read",
  });
  for (const effect of ["write", undefined, explode]) {
    expect(await run({ effect, execute: explode }, {}, dry)).toEqual({
      outcome: "returned",
      result: "Operation acknowledged.",
      isError: false,
      effect: "write",
      stubbed: true,
    });
  }
});

test.each([
  ["a value", { published: false }, { published: false }],
  ["null", null, null],
  ["a function of the validated input", ({ v }: { v: string }) => ({ v }), { v: "1" }],
  ["a promise", () => Promise.resolve("later"), "later"],
  ["a function of nothing", () => undefined, null],
])("dryRunResult may be %s", async (_name, dryRunResult, expected) => {
  const inputSchema = z.object({ v: z.string().default("1") });
  const outcome = await run({ inputSchema, dryRunResult, execute: explode }, {}, dry);
  expect(outcome).toMatchObject({ isError: false, stubbed: true });
  expect(result(outcome)).toEqual(expected);
});

test("a dryRunResult that throws is an error result, still marked", async () => {
  const thrown: string[] = [];
  const tool = { dryRunResult: explode, execute: () => "ran" };
  expect(await run(tool, {}, dry, thrown)).toEqual({
    outcome: "returned",
    result: "exploded",
    isError: true,
    effect: "write",
    stubbed: true,
  });
  expect(thrown).toHaveLength(1);
});

test("a dry run validates its input, and stubs need no approval while reads do", async () => {
  const inputSchema = z.object({ n: z.number() });
  expect(await run({ inputSchema, execute: explode }, {}, dry)).toMatchObject({
    outcome: "invalid_input",
  });
  const gated = { needsApproval: true, execute: () => "ran" };
  expect(await run(gated, {}, dry)).toMatchObject({ stubbed: true });
  expect(await gate(gated, {}, dry)).toMatchObject({ needsApproval: false, effect: "write" });
  expect(await run({ ...gated, effect: "read" }, {}, dry)).toEqual({
    outcome: "approval_required",
  });
});

test("what a tool throws is its result, and goes to the agent's log", async () => {
  const thrown: string[] = [];
  const outcome = await run({ effect: "read", execute: explode }, {}, {}, thrown);
  expect(outcome).toEqual({ outcome: "threw", message: "exploded", effect: "read" });
  expect(thrown[0]).toContain("run-tool.test.ts");
});

const AS_OF = "2026-03-01T12:00:00.000Z";
const frozen = { session: { asOf: AS_OF } };
const query = {
  inputSchema: z.object({ since: z.string().optional(), until: z.unknown().optional() }),
  effect: "read",
  timeArgs: ["since", "until"],
  execute: (_input: unknown, ctx: { now(): Date }) => ctx.now().toISOString(),
};
const BEFORE = "2026-02-28T23:59:59Z";

test.each([
  ["the frozen instant itself", AS_OF],
  ["an offset", "2026-03-01T14:00:00+02:00"],
  ["an offset without a colon", "2026-03-01T13:59+0200"],
  ["fractions", "2026-03-01T11:59:59.999999Z"],
])("under asOf a time argument may be %s", async (_name, until) => {
  const outcome = await run(query, { since: BEFORE, until }, frozen);
  expect(outcome).toMatchObject({ isError: false, result: AS_OF });
});

test.each([
  ["missing", undefined, "until is missing"],
  ["null", null, "until is missing"],
  ["relative", "-1h", "until is not an absolute"],
  ["without a timezone", "2026-02-01T00:00:00", "until is not an absolute"],
  ["a date alone", "2026-02-01", "until is not an absolute"],
  ["a day that no month has", "2026-02-30T00:00:00Z", "until is not an absolute"],
  ["an hour that no day has", "2026-02-01T25:00:00Z", "until is not an absolute"],
  ["a number", 1_767_225_600_000, "until is not an absolute"],
  ["one millisecond later", "2026-03-01T12:00:00.001Z", "until is later"],
  ["a microsecond later", "2026-03-01T12:00:00.000001Z", "until is later"],
  ["later by its offset", "2026-03-01T12:00:00-01:00", "until is later"],
])("under asOf a time argument is refused that is %s", async (_name, until, fault) => {
  const input = { since: BEFORE, ...(until === undefined ? {} : { until }) };
  const outcome = await run({ ...query, execute: explode }, input, frozen);
  expect(outcome).toMatchObject({ outcome: "returned", isError: true });
  expect(result(outcome)).toContain(fault);
  expect(result(outcome)).toContain(`Retry with absolute bounds`);
  expect(result(outcome)).toContain(AS_OF);
  expect(await gate(query, input, frozen)).toMatchObject({ outcome: "refused" });
});

test("sessions without asOf ignore the declaration, and a default is no bound", async () => {
  expect(await run(query, { until: "-1h" })).toMatchObject({ isError: false });
  const inputSchema = z.object({ since: z.string().default(BEFORE) });
  const defaulted = { ...query, inputSchema, timeArgs: ["since"] };
  expect(await run(defaulted, {}, frozen)).toMatchObject({ isError: true });
});
