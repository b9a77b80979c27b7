import { expect, test } from "vitest";
import type { DescribedDefinition } from "../protocol/description";
import type { ProjectScan } from "./project-scan";
import { toManifest } from "./to-manifest";

const NOW = new Date("2026-01-01T00:00:00Z");
const CALLBACK = { $berth: "function" };

const scan = (more: Partial<ProjectScan> = {}): ProjectScan => ({
  root: "bot",
  name: "demo",
  modules: [],
  instructions: { file: "bot/instructions.md", text: "Be brief." },
  skills: [],
  schedules: [],
  subagentInstructions: {},
  extensionFolders: [],
  workspaceFiles: [],
  evals: [],
  dependencies: {},
  zod: "4",
  keyLines: {},
  diagnostics: [],
  ...more,
});

const defined = (key: string, data: unknown): DescribedDefinition => {
  const [kind = "", name = kind] = key.split("/");
  const file = name === kind ? `bot/${kind}.ts` : `bot/${kind}/${name}.ts`;
  return {
    key,
    kind,
    name,
    file,
    ok: true,
    data,
    exports: ["default"],
    warnings: [],
  } as DescribedDefinition;
};

const joined = (definitions: DescribedDefinition[], more: Partial<ProjectScan> = {}) =>
  toManifest(scan(more), { definitions }, NOW);
const codes = (...args: Parameters<typeof joined>) =>
  joined(...args).diagnostics.map(({ severity, code, file }) => `${severity} ${code} ${file}`);

test("agent.ts names the agent, else package.json, else whoever asks", () => {
  const nameOf = (definitions: DescribedDefinition[], name?: string) => {
    const { name: _name, ...rest } = scan();
    const named = name === undefined ? rest : { ...rest, name };
    return toManifest(named, { definitions }, NOW, "folder").manifest.name;
  };
  expect(nameOf([defined("agent", { name: "own" })], "pkg")).toBe("own");
  expect(nameOf([], "pkg")).toBe("pkg");
  expect(nameOf([])).toBe("folder");
});

test("without agent.ts every setting has its default", () => {
  const { manifest, diagnostics } = joined([]);
  expect(diagnostics).toEqual([]);
  expect(manifest).toMatchObject({
    models: [{ id: "grok-4.5", params: { effort: "high", fast: true } }],
    access: "org",
    isolation: "agent",
    limits: { steps: 100, wallMs: 1_800_000 },
    approvals: { channel: false, self: false, expiresInMs: 604_800_000 },
    egressDomains: [],
  });
  expect(manifest.harnessTools).toBeUndefined();
});

test.each([
  ["m", [{ id: "m", params: {} }]],
  [{ id: "m", params: [{ id: "effort", value: "low" }] }, [{ id: "m", params: { effort: "low" } }]],
  [{ id: "m", params: { effort: "low" } }, [{ id: "m", params: { effort: "low" } }]],
  [
    ["a", { id: "b" }],
    [
      { id: "a", params: {} },
      { id: "b", params: {} },
    ],
  ],
])("model %j", (model, expected) => {
  expect(joined([defined("agent", { model })]).manifest.models).toEqual(expected);
});

test("harness tools are an allow-list, unknown names a warning", () => {
  const { manifest, diagnostics } = joined([defined("agent", { tools: ["read", "fly", "read"] })]);
  expect(manifest.harnessTools).toEqual(["read"]);
  expect(diagnostics.map(({ code }) => code)).toEqual(["unknown_harness_tool"]);
  expect(joined([defined("agent", { tools: [] })]).manifest.harnessTools).toEqual([]);
});

test("unknown keys are warnings, at the top and below it", () => {
  const agent = defined("agent", { modle: "x", hosting: { region: "x", secretNames: ["A_1"] } });
  const { manifest, diagnostics } = joined([agent], {
    keyLines: { "bot/agent.ts": { region: 7 } },
  });
  expect(manifest.secretNames).toEqual(["A_1"]);
  expect(diagnostics).toMatchObject([
    { severity: "warning", code: "unknown_key" },
    { severity: "warning", code: "unknown_key", line: 7 },
  ]);
});

test.each([
  { hosting: { egressDomains: ["https://a.test"] } },
  { hosting: { egressDomains: ["a.test/path"] } },
  { hosting: { egressDomains: ["10.0.0.1"] } },
  { hosting: { egressDomains: ["[::1]"] } },
  { hosting: { egressDomains: ["a.*.test"] } },
  { hosting: { egressDomains: ["a.test:0"] } },
  { hosting: { secretNames: ["A-B"] } },
  { limits: { steps: 0 } },
  { concurrency: { maxRunningTurns: 1.5 } },
  { approvals: { expiresIn: "soon" } },
  { access: "all" },
  { model: CALLBACK },
])("%j is not valid", (data) => {
  expect(codes([defined("agent", data)])).toEqual(["error invalid_agent_config bot/agent.ts"]);
});

test("egress domains may be names, wildcards and have ports", () => {
  const egressDomains = ["API.acme.test", "*.acme.test", "db.acme.test:5432", "localhost"];
  const { manifest, diagnostics } = joined([defined("agent", { hosting: { egressDomains } })]);
  expect(diagnostics).toEqual([]);
  expect(manifest.egressDomains[0]).toBe("api.acme.test");
});

test("a public agent isolates sessions unless it says otherwise", () => {
  const isolation = (data: object) => joined([defined("agent", data)]).manifest.isolation;
  expect(isolation({ access: "public" })).toBe("session");
  expect(isolation({ access: "public", hosting: { isolation: "agent" } })).toBe("agent");
});

test.each<[object, string]>([
  [{ runtime: "cloud" }, "unsupported_runtime"],
  [{ runtime: "grokbot" }, "unsupported_runtime"],
  [{ hosting: { image: "x" } }, "unsupported_image"],
])("%j cannot work and says where", (data, code) => {
  const keyLines = { "bot/agent.ts": { runtime: 3, image: 3 } };
  const { diagnostics } = joined([defined("agent", data)], { keyLines });
  expect(diagnostics).toMatchObject([{ severity: "error", code, file: "bot/agent.ts", line: 3 }]);
});

test("what is accepted without effect is silent", () => {
  const data = { runtime: "local", architecture: "v2", local: { cwd: "." }, otel: {} };
  expect(codes([defined("agent", data)])).toEqual([]);
});

test("instructions have exactly one form", () => {
  const none = { instructions: undefined } as unknown as Partial<ProjectScan>;
  expect(codes([], none)).toEqual(["error missing_instructions bot/instructions.md"]);
  const inline = defined("agent", { instructions: "Inline." });
  expect(codes([inline])).toEqual(["error multiple_instructions bot/agent.ts"]);
  expect(joined([inline], none).manifest.instructions).toMatchObject({ text: "Inline." });
  const text = (data: unknown) =>
    joined([defined("instructions", data)], none).manifest.instructions;
  expect(text("Plain. ")).toMatchObject({ kind: "static", text: "Plain." });
  expect(text({ markdown: "Made." })).toMatchObject({ kind: "static", text: "Made." });
  expect(text(CALLBACK)).toEqual({ file: "bot/instructions.ts", kind: "dynamic" });
});

const tool = (more: object): DescribedDefinition => ({
  key: "tools/t",
  kind: "tools",
  name: "t",
  file: "bot/tools/t.ts",
  ok: true,
  warnings: [],
  tool: {
    description: "T.",
    execution: "server",
    effect: "read",
    needsApproval: "never",
    timeArgs: [],
    dryRunResult: false,
    ...more,
  },
});

test("time arguments have to exist in the schema, in a branch of a union too", () => {
  const object = (...names: string[]) => ({
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, {}])),
  });
  const unknown = ["warning unknown_time_arg bot/tools/t.ts"];
  expect(codes([tool({ timeArgs: ["since"], inputSchema: object("until") })])).toEqual(unknown);
  expect(codes([tool({ timeArgs: ["since"] })])).toEqual(unknown);
  const union = { anyOf: [object("a"), object("since")] };
  expect(codes([tool({ timeArgs: ["since"], inputSchema: union })])).toEqual([]);
  const node = { anyOf: [object("since"), { $ref: "#/$defs/no~1de" }] };
  const recursive = { $ref: "#/$defs/no~1de", $defs: { "no/de": node } };
  expect(codes([tool({ timeArgs: ["since"], inputSchema: recursive })])).toEqual([]);
  expect(codes([tool({ timeArgs: ["until"], inputSchema: recursive })])).toEqual(unknown);
});

test("time limits default to a minute and end at a quarter of an hour", () => {
  expect(joined([tool({})]).manifest.tools[0]?.timeoutMs).toBe(60_000);
  expect(joined([tool({ timeoutMs: 900_000 })]).manifest.tools[0]?.timeoutMs).toBe(900_000);
  expect(codes([tool({ timeoutMs: 900_000 })])).toEqual([]);
  expect(codes([tool({ timeoutMs: 900_001 })])).toEqual(["error timeout_too_long bot/tools/t.ts"]);
});

test("definitions that could not be loaded are errors, evals warnings", () => {
  const failed = (key: string, code: "load_failed" | "secret_missing_at_load", variable?: string) =>
    ({
      ...defined(key, undefined),
      ok: false,
      error: { code, message: "it threw", ...(variable ? { variable } : {}) },
    }) as DescribedDefinition;
  const { diagnostics } = joined([
    failed("tools/a", "secret_missing_at_load", "API_KEY"),
    failed("evals/b", "load_failed"),
  ]);
  expect(diagnostics).toMatchObject([
    { severity: "error", code: "secret_missing_at_load", fix: "berth secrets set <agent> API_KEY" },
    { severity: "warning", code: "load_failed" },
  ]);
});

test.each<[string, unknown]>([
  ["skills/s", { markdown: "x" }],
  ["subagents/s", {}],
  ["channels/c", { routes: "x" }],
  ["schedules/s", { cron: "* * * * *" }],
  ["schedules/s", { cron: "* * * * *", markdown: "x", run: CALLBACK }],
  ["reminders/r", {}],
  ["hooks/h", { events: { a: 1 } }],
  ["mcpConnections/m", {}],
  ["hostConnections/m", { url: "x", command: "y" }],
  ["artifacts", {}],
  ["result", { commit: "x" }],
  ["extensions/e", "x"],
])("%s holding %j is not a definition", (key, data) => {
  const { diagnostics } = joined([defined(key, data)]);
  expect(diagnostics.map(({ code }) => code)).toEqual(["invalid_definition"]);
});

test("coded schedules are checked like written ones", () => {
  const schedule = defined("schedules/s", { cron: "0 0 30 2 *", run: CALLBACK });
  const { diagnostics } = joined([schedule], { keyLines: { "bot/schedules/s.ts": { cron: 4 } } });
  expect(diagnostics).toMatchObject([{ code: "invalid_cron", line: 4 }]);
});

test("connections to another vendor's account are refused", () => {
  const connection = defined("mcpConnections/m", { cursorAccount: true, servers: ["a"] });
  expect(codes([connection])).toEqual(["error unsupported_connection bot/mcpConnections/m.ts"]);
});

test("a subagent inherits the model unless it names one", () => {
  const [plain, own] = joined(
    [
      defined("subagents/plain", { description: "P.", instructions: "Inline." }),
      defined("subagents/own", { description: "O.", model: "m", instructions: "Inline." }),
    ],
    { subagentInstructions: { own: "From the file." } },
  ).manifest.subagents;
  expect(plain).not.toHaveProperty("model");
  expect(plain).toMatchObject({ instructions: "Inline." });
  expect(own).toMatchObject({ model: { id: "m" }, instructions: "From the file." });
});
