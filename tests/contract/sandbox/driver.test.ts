import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Description } from "../../../src/protocol/description";
import type { Sandbox } from "../../../src/server/sandbox";
import {
  callTool,
  requireBubblewrap,
  runInside,
  SandboxHarness,
  toolCall,
} from "../../support/sandbox";

const store = new Map<string, { value: unknown; revision: string }>();
let revisions = 0;

/** The smallest key store that answers the host calls of `host.kv`. */
function answerKv(method: string, params: unknown): unknown {
  const { key, value, revision } = params as { key: string; value: unknown; revision: unknown };
  const write = () => store.set(key, { value, revision: String(++revisions) });
  if (method === "kv.get") return store.get(key) ?? null;
  if (method === "kv.list") return { keys: [...store.keys()] };
  if (method === "kv.put") return write() && null;
  if (method === "kv.delete") return store.delete(key) && null;
  if (method !== "kv.cas") throw new Error(`unexpected ${method}`);
  const swapped = (store.get(key)?.revision ?? null) === revision;
  if (swapped) write();
  return { swapped };
}

describe.each(["bwrap", "unsafe-process"] as const)("%s driver", (driver) => {
  const usable = driver === "unsafe-process" || requireBubblewrap();
  describe.skipIf(!usable)("contract", () => {
    let harness: SandboxHarness;
    let sandbox: Sandbox;
    const seen: unknown[] = [];

    beforeAll(async () => {
      harness = await SandboxHarness.open({
        driver,
        env: { TENANT_TOKEN: "tenant-value" },
        onHostCall: ({ method, params }, during) => {
          seen.push(during?.kind);
          return Promise.resolve(answerKv(method, params));
        },
      });
      sandbox = await harness.start();
    });
    afterAll(async () => {
      await sandbox.kill("the test is over");
      await harness.close();
    });

    test("a call returns what the tool returned", async () => {
      const input = { text: "grüße 👋", n: [1, null], nested: { a: true } };
      expect(await callTool(sandbox, "echo", input)).toEqual({
        outcome: "returned",
        result: input,
        isError: false,
        effect: "write",
      });
    });

    test("undefined becomes null, a string stays, members that are undefined go", async () => {
      expect(await runInside(sandbox, "return undefined")).toBeNull();
      expect(await runInside(sandbox, "return 'plain'")).toBe("plain");
      expect(await runInside(sandbox, "return { a: 1, b: undefined, c: [undefined] }")).toEqual({
        a: 1,
        c: [null],
      });
    });

    test("an envelope is recognised", async () => {
      const code = "return { content: [{ type: 'text', text: 'no' }], isError: true }";
      expect(await callTool(sandbox, "run", { code })).toMatchObject({
        outcome: "returned",
        isError: true,
        result: { content: [{ type: "text", text: "no" }] },
      });
    });

    test.each([
      ["a BigInt", "return { n: 1n }", "result.n is a BigInt"],
      ["a cycle", "const a = {}; a.a = a; return a", "result.a is part of a cycle"],
      ["a function", "return [() => 1]", "result[0] is a function"],
    ])("%s is refused by name", async (_what, code, message) => {
      const outcome = await callTool(sandbox, "run", { code });
      expect(outcome).toMatchObject({ outcome: "threw" });
      expect((outcome as { message: string }).message).toContain(message);
    });

    test("a throwing tool is an outcome and the process goes on", async () => {
      const pid = await runInside(sandbox, "return process.pid");
      expect(await callTool(sandbox, "run", { code: "throw new Error('boom')" })).toEqual({
        outcome: "threw",
        message: "boom",
        effect: "write",
      });
      expect(await runInside(sandbox, "return process.pid")).toBe(pid);
    });

    test("uncaught errors are logged and the process goes on", async () => {
      const code =
        "setTimeout(() => { throw new Error('loose') }, 0); await new Promise(r => setTimeout(r, 20)); return 1";
      expect(await runInside(sandbox, code)).toBe(1);
      expect(harness.logs.some(({ text }) => text.includes("loose"))).toBe(true);
    });

    test("an unknown tool, a bad input, a gated tool each have their outcome", async () => {
      expect(await callTool(sandbox, "nope", {})).toEqual({ outcome: "unknown_tool" });
      expect(await callTool(sandbox, "__proto__", {})).toEqual({ outcome: "unknown_tool" });
      expect(await callTool(sandbox, "counted", { n: "1" })).toMatchObject({
        outcome: "invalid_input",
        issues: [{ path: "n", message: "must be number" }],
      });
      expect(await callTool(sandbox, "counted", { n: 1 })).toMatchObject({ result: 2 });
      expect(await callTool(sandbox, "odd", { any: 1 })).toMatchObject({ result: { any: 1 } });
      expect(await callTool(sandbox, "gated", {})).toEqual({ outcome: "approval_required" });
      expect(await callTool(sandbox, "faulty", {})).toEqual({ outcome: "approval_required" });
      const approved = await sandbox.call(toolCall("gated", {}, true), { timeoutMs: 5000 });
      expect(approved).toMatchObject({ result: "ran" });
    });

    test("the environment is the tenant's and nothing of ours", async () => {
      const env = (await runInside(sandbox, "return { ...process.env }")) as object;
      expect(env).toMatchObject({ TENANT_TOKEN: "tenant-value" });
      expect(Object.keys(env)).not.toContain("TEST_DATABASE_ADMIN_URL");
      expect(Object.keys(env)).not.toContain("VITEST");
    });

    test("console lines carry their call", async () => {
      await runInside(sandbox, "console.warn('careful', { a: 1 }); return 1");
      const line = harness.logs.find(({ text }) => text.includes("careful"));
      expect(line).toMatchObject({ level: "warn", text: "careful { a: 1 }" });
      expect(line?.call).toMatchObject({ kind: "tool", name: "run" });
    });

    test("host.kv works, and concurrent updates lose nothing", async () => {
      const code = `
        const { kv } = ctx.host;
        const before = await kv.get("n");
        await Promise.all(Array.from({ length: 8 }, () => kv.update("n", (n = 0) => n + 1)));
        const after = await kv.get("n");
        await kv.delete("n");
        return { before: before === undefined, after, gone: await kv.get("n") === undefined }`;
      expect(await runInside(sandbox, code)).toEqual({ before: true, after: 8, gone: true });
      expect(new Set(seen)).toEqual(new Set(["tool"]));
    });

    test("members of later services say that they are not available", async () => {
      const code =
        "try { ctx.host.slack.getClient() } catch (e) { return e.code + ' ' + e.message }";
      expect(await runInside(sandbox, code)).toContain("not_available ctx.host.slack.getClient");
    });

    test("an abort reaches ctx.signal", async () => {
      const controller = new AbortController();
      const code =
        "console.log('waiting'); await new Promise(r => ctx.signal.addEventListener('abort', r)); console.log('aborted'); return 1";
      const call = sandbox.call(toolCall("run", { code }), {
        timeoutMs: 5000,
        signal: controller.signal,
      });
      await expect.poll(() => harness.logs.some(({ text }) => text === "waiting")).toBe(true);
      controller.abort();
      await expect(call).rejects.toMatchObject({ code: "cancelled" });
      await expect.poll(() => harness.logs.some(({ text }) => text === "aborted")).toBe(true);
    });

    test("a call that takes too long fails and the process stays", async () => {
      const pid = await runInside(sandbox, "return process.pid");
      const late = runInside(sandbox, "await new Promise(() => {})", 200);
      await expect(late).rejects.toMatchObject({ code: "tool_timeout" });
      expect(await runInside(sandbox, "return process.pid")).toBe(pid);
    });

    test("describe says what each definition is or why it failed", async () => {
      const call = sandbox.call({ kind: "describe" }, { timeoutMs: 10_000 });
      const { definitions } = (await call) as Description;
      const byKey = new Map(definitions.map((definition) => [definition.key, definition]));
      expect(byKey.get("agent")).toMatchObject({ ok: true, data: { name: "test" } });
      expect(byKey.get("tools/gated")).toMatchObject({ tool: { needsApproval: "always" } });
      expect(byKey.get("tools/odd")).toMatchObject({
        warnings: [expect.stringMatching(/not enforced/)],
      });
      expect(byKey.get("tools/late")).toMatchObject({
        ok: false,
        file: "bot/tools/late.ts",
        error: { code: "secret_missing_at_load", variable: "LATE_TOKEN" },
      });
    });

    test("instructions come from the agent when it has no file for them", async () => {
      const session = toolCall("x", {}) as Extract<ReturnType<typeof toolCall>, { kind: "tool" }>;
      const call = { kind: "instructions", session: session.scope.session } as const;
      expect(await sandbox.call(call, { timeoutMs: 5000 })).toBe("Be brief.");
    });

    test("workspace and state are writable", async () => {
      const code =
        "const fs = require('fs'); fs.writeFileSync(ctx.stateRoot + '/a', 'x'); return fs.readFileSync(ctx.stateRoot + '/a', 'utf8')";
      expect(await runInside(sandbox, code)).toBe("x");
    });

    test("a bundle that does not load fails the start with its reason", async () => {
      const other = await SandboxHarness.open({ driver, bundle: "throw new Error('no bundle')" });
      await expect(other.start()).rejects.toMatchObject({
        code: "sandbox_failed",
        message: expect.stringContaining("no bundle"),
      });
      await other.close();
    });

    test("kill fails the calls in flight and resolves when the process is gone", async () => {
      const victim = await harness.start("org/victim");
      const call = runInside(victim, "console.log('begun'); await new Promise(() => {})");
      await expect.poll(() => harness.logs.some(({ text }) => text === "begun")).toBe(true);
      const failed = expect(call).rejects.toMatchObject({ code: "runtime_lost", sent: true });
      expect(await victim.kill("enough")).toMatchObject({ reason: "enough" });
      await failed;
      expect(victim.stats().pids).toBe(0);
      await expect(runInside(victim, "return 1")).rejects.toMatchObject({ sent: false });
    });
  });
});
