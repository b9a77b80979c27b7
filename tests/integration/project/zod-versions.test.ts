import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BUNDLE_FILE, bundleProject } from "../../../src/project/bundle-project";
import { scanProject } from "../../../src/project/scan-project";
import type { CallSession } from "../../../src/protocol/runtime-rpc";
import { type Bundle, loadBundle } from "../../../src/runtime/definitions";
import { describe as describeBundle } from "../../../src/runtime/describe";
import { guestInvoke } from "../../support/guest-invoke";

const repository = join(import.meta.dirname, "../../..");
const toolchain = { sdkDir: join(repository, "src/sdk"), modulesDir: repository };
const session: CallSession = {
  id: "ses_1",
  channel: "http",
  mode: "chat",
  auth: { principal: "user:u" },
  dryRun: false,
};

describe.each(["3", "4"])("a project that asks for Zod %s", (major) => {
  let work: string;
  let bundle: Bundle;

  beforeAll(async () => {
    work = await mkdtemp(join(tmpdir(), `berth-zod${major}-`));
    const dir = join(work, "project");
    const outDir = join(work, "out");
    await cp(join(repository, "tests/fixtures/projects/zod"), dir, { recursive: true });
    const dependencies = { zod: `^${major}.0.0` };
    await writeFile(join(dir, "package.json"), JSON.stringify({ type: "module", dependencies }));
    const scan = await scanProject(dir);
    expect(scan.zod).toBe(major);
    expect(await bundleProject({ dir, outDir, scan, toolchain })).toEqual([]);
    bundle = await loadBundle(join(outDir, BUNDLE_FILE));
  });
  afterAll(() => rm(work, { recursive: true }));

  const ask = (kind: "tool" | "gate", name: string, input: unknown) => {
    const scope = { toolCallId: "call_1", session, workspace: "ses_1" };
    const call =
      kind === "gate"
        ? { kind, name, input, scope }
        : { kind, name, input, scope, approved: false };
    const ref = { orgId: "org", agentId: "agt", version: 1 };
    return guestInvoke(bundle)(ref, call, { timeoutMs: 5_000 });
  };
  const run = (name: string, input: unknown) => ask("tool", name, input);

  test("has schemas of that major, in its own copy", async () => {
    const load = (bundle.definitions.tools as Record<string, () => Promise<unknown>>).forecast!;
    const { inputSchema } = ((await load()) as { default: { inputSchema: object } }).default;
    expect("_zod" in inputSchema).toBe(major === "4");
  });

  test("validates, and defaults reach execute and the predicates", async () => {
    expect(await run("forecast", { city: "Oslo" })).toEqual({
      outcome: "returned",
      result: { city: "Oslo", days: 3 },
      isError: false,
      effect: "read",
    });
    expect(await run("forecast", { city: "Oslo", days: 6 })).toMatchObject({ effect: "write" });
    expect(await run("forecast", { city: "Rome" })).toEqual({ outcome: "approval_required" });
    expect(await ask("gate", "forecast", { city: "Rome" })).toEqual({
      outcome: "open",
      effect: "read",
      needsApproval: true,
      input: { city: "Rome", days: 3 },
    });
    expect(await run("forecast", { city: "", days: "3" })).toMatchObject({
      outcome: "invalid_input",
      issues: [{ path: "city" }, { path: "days" }],
    });
  });

  test("may have a union, an optional or a refined text at the root", async () => {
    expect(await run("either", { number: 1 })).toMatchObject({
      result: { kind: "number", extra: true },
    });
    expect(await run("either", {})).toMatchObject({ outcome: "invalid_input" });
    expect(await run("maybe", undefined)).toMatchObject({ result: { note: null } });
    expect(await run("maybe", { note: "n" })).toMatchObject({ result: { note: "n" } });
    expect(await run("refined", "4")).toMatchObject({ result: 4 });
    expect(await run("refined", "5")).toMatchObject({ issues: [{ message: "must be even" }] });
  });

  test("is described in JSON Schema, output included", async () => {
    const { definitions } = await describeBundle(bundle);
    const described = Object.fromEntries(
      definitions.flatMap((each) => (each.ok && "tool" in each ? [[each.name, each.tool]] : [])),
    );
    expect(described.forecast!.inputSchema).toMatchObject({
      type: "object",
      properties: { city: { type: "string", minLength: 1 }, days: { default: 3 } },
      required: ["city"],
    });
    expect(described.either!.inputSchema!.anyOf).toHaveLength(2);
    expect(described.either!.outputSchema).toMatchObject({
      properties: { kind: { type: "string" } },
    });
    expect(described.refined!.inputSchema).toMatchObject({ type: "string" });
  });
});
