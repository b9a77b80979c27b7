import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { infoOf } from "../../../src/project/info-of";
import { inspectProject } from "../../../src/project/inspect-project";

const repository = join(import.meta.dirname, "../../..");
const toolchain = { sdkDir: join(repository, "src/sdk"), modulesDir: repository };

let work: string;
beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), "berth-inspect-test-"));
  await build({
    entryPoints: [join(repository, "src/runtime/main.ts")],
    outfile: join(work, "main.cjs"),
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    logLevel: "silent",
  });
});
afterAll(() => rm(work, { recursive: true }));

const inspect = (path: string) =>
  inspectProject(join(repository, path), { toolchain, runtime: join(work, "main.cjs"), env: {} });

test("a project for other packages becomes a manifest", async () => {
  const { manifest, diagnostics } = await inspect("tests/fixtures/projects/compat");
  expect(diagnostics.map(({ code }) => code)).toEqual(["unrecognized_directory"]);
  expect(manifest).toMatchObject({
    name: "@acme/compat-agent",
    models: [{ id: "grok-4.5", params: { effort: "high", fast: true } }],
    instructions: { kind: "static", file: "bot/instructions.md" },
    channels: [{ name: "webhook", kind: "custom", routes: [{ method: "POST", path: "/in" }] }],
    schedules: [{ name: "nightly", cron: "0 2 * * *", kind: "handler" }],
  });
  const effects = manifest!.tools.map(({ name, effect }) => [name, effect]);
  expect(Object.fromEntries(effects)).toEqual({
    either: "function",
    explode: "write",
    locate: "write",
    stock: "read",
    "where-am-i": "write",
  });
});

test.each([
  ["weather", ["tools", "skills", "subagents", "schedules", "channels", "hooks"]],
  ["pr-approver", ["tools", "skills", "subagents", "schedules", "channels", "hooks"]],
  ["researcher", ["tools", "skills", "subagents", "workspaceFiles"]],
] as const)("the example %s validates without findings", async (name, parts) => {
  const { manifest, diagnostics } = await inspect(`examples/${name}`);
  expect(diagnostics).toEqual([]);
  const info = infoOf(manifest!);
  for (const part of parts) expect([part, info[part].length]).not.toEqual([part, 0]);
  const executions = manifest!.tools.map(({ execution }) => execution);
  expect(executions).toContain("agent");
  expect(executions.includes("server")).toBe(name !== "researcher");
});
