import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { RuntimeCall, ToolOutcome } from "../../../src/protocol/runtime-rpc";
import {
  type AgentHostCall,
  type AgentSpec,
  createSandboxes,
  type Sandboxes,
} from "../../../src/server/sandbox";
import { requireBubblewrap, SandboxHarness, toolCall } from "../../support/sandbox";

const usable = requireBubblewrap();
const REF = { orgId: "org_a", agentId: "agt_a", version: 1 };

interface Gate {
  promise: Promise<null>;
  open: () => void;
}

function closedGate(): Gate {
  let open = (): void => undefined;
  const promise = new Promise<null>((resolve) => {
    open = () => resolve(null);
  });
  return { promise, open };
}

describe.skipIf(!usable)("the agent processes of a worker", () => {
  let harness: SandboxHarness;
  let sandboxes: Sandboxes;
  let now: number;
  let revision: string;
  let resolved: number;
  let spec: Partial<AgentSpec>;
  let hostCalls: AgentHostCall[];
  /** What a host call for the key `held` waits for. */
  let gate: Gate;
  let root: string;
  let roots = 0;

  beforeAll(async () => {
    harness = await SandboxHarness.open({ driver: "bwrap" });
  });
  afterAll(() => harness?.close());

  beforeEach(async () => {
    now = Date.now();
    revision = "r1";
    resolved = 0;
    spec = {};
    hostCalls = [];
    gate = closedGate();
    root = join(harness.folder, `agents-${++roots}`);
    await mkdir(root, { mode: 0o711 });
    sandboxes = createSandboxes({
      driver: harness.driver,
      clock: { now: () => new Date(now) },
      idleMs: 60_000,
      revision: () => Promise.resolve(revision),
      resolve: () => {
        resolved++;
        return Promise.resolve({
          bundleDir: harness.bundleDir,
          env: { REVISION: revision },
          secretsRevision: revision,
          egressDomains: [],
          isolation: "agent" as const,
          workspaceRoot: join(root, "workspaces"),
          stateDir: join(root, "state"),
          ...spec,
        });
      },
      onHostCall: (call) => {
        hostCalls.push(call);
        const { key } = call.params as { key: string };
        return key === "held" ? gate.promise : Promise.resolve(null);
      },
    });
  });
  afterEach(async () => {
    await sandboxes.close();
    expect(sandboxes.stats()).toEqual([]);
  });

  const call = (code: string, workspace = "ses_a", scratch = false): RuntimeCall => {
    const made = toolCall("run", { code }) as Extract<RuntimeCall, { kind: "tool" }>;
    return { ...made, scope: { ...made.scope, workspace, scratch } };
  };
  const invoke = async (code: string, workspace?: string, scratch?: boolean) => {
    const options = { timeoutMs: 10_000 };
    const outcome = await sandboxes.invoke(REF, call(code, workspace, scratch), options);
    return (outcome as Extract<ToolOutcome, { outcome: "returned" }>).result;
  };

  test("calls at once share one start, and later calls the process", async () => {
    const counts = await Promise.all(
      [1, 2, 3].map(() => invoke("globalThis.n = (globalThis.n ?? 0) + 1; return globalThis.n")),
    );
    expect(resolved).toBe(1);
    expect(sandboxes.stats()).toHaveLength(1);
    expect(counts.toSorted()).toEqual([1, 2, 3]);
  });

  test("prefetch starts the process that the call then uses", async () => {
    sandboxes.prefetch(REF);
    await expect.poll(() => sandboxes.stats().length).toBe(1);
    await invoke("return 1");
    expect(sandboxes.stats()).toHaveLength(1);
  });

  test("another version is another process", async () => {
    await invoke("return 1");
    await sandboxes.invoke({ ...REF, version: 2 }, call("return 1"), { timeoutMs: 10_000 });
    expect(sandboxes.stats().map(({ ref }) => ref.version)).toEqual([1, 2]);
  });

  test("new secrets start a new process; the old one drains with its last call", async () => {
    await invoke("return 1");
    const waiting = invoke("await ctx.host.kv.get('held'); return process.env.REVISION");
    await expect.poll(() => hostCalls.length).toBe(1);
    revision = "r2";
    expect(await invoke("return process.env.REVISION")).toBe("r2");
    expect(
      sandboxes
        .stats()
        .map(({ draining }) => draining)
        .sort(),
    ).toEqual([false, true]);
    gate.open();
    expect(await waiting).toBe("r1");
    await expect.poll(() => sandboxes.stats().length).toBe(1);
  });

  test("host calls name the agent and the call they were made in", async () => {
    await invoke("await ctx.host.kv.get('k'); return 1");
    expect(hostCalls).toMatchObject([
      { ref: REF, method: "kv.get", params: { key: "k" }, during: { kind: "tool", name: "run" } },
    ]);
  });

  test("idle processes end, those in use stay", async () => {
    await invoke("return 1");
    const busy = invoke("await ctx.host.kv.get('held'); return 1");
    await expect.poll(() => hostCalls.length).toBe(1);
    now += 120_000;
    await sandboxes.reap();
    expect(sandboxes.stats()).toHaveLength(1);
    gate.open();
    await busy;
    now += 120_000;
    await sandboxes.reap();
    expect(sandboxes.stats()).toEqual([]);
    expect(await invoke("return 2")).toBe(2);
  });

  test("a process that dies is started again, but not again and again at once", async () => {
    const die = () =>
      expect(invoke("process.exit(3)")).rejects.toMatchObject({ code: "runtime_lost" });
    await die();
    await die();
    await expect(invoke("return 1")).rejects.toMatchObject({
      code: "sandbox_failed",
      message: expect.stringMatching(/died 2 times in a row.*exited with 3/s),
    });
    now += 60_000;
    expect(await invoke("return 1")).toBe(1);
    await die();
    expect(await invoke("return 1")).toBe(1);
  });

  test("a call that meets a process in an endless loop runs in a fresh one", async () => {
    const pid = await invoke("return process.ppid + ':' + Date.now()");
    const loop = sandboxes.invoke(REF, call("for (;;) {}"), { timeoutMs: 1000 });
    await expect(loop).rejects.toMatchObject({ code: "tool_timeout", sent: true });
    expect(await invoke("globalThis.n = (globalThis.n ?? 0) + 1; return globalThis.n")).toBe(1);
    expect(await invoke("return process.ppid + ':' + Date.now()")).not.toBe(pid);
    expect(sandboxes.stats()).toHaveLength(1);
  });

  test("a call sent during the loop runs in a fresh one, the call that began is lost", async () => {
    const begun = invoke("console.log('begun'); await ctx.host.kv.get('held'); return 1");
    const lost = expect(begun).rejects.toMatchObject({ code: "runtime_lost", sent: true });
    await expect.poll(() => hostCalls.length).toBe(1);
    const loop = sandboxes.invoke(REF, call("for (;;) {}"), { timeoutMs: 1000 });
    const late = expect(loop).rejects.toMatchObject({ code: "tool_timeout" });
    const unread = Promise.all([1, 2, 3].map((n) => invoke(`return ${n}`)));
    await Promise.all([late, lost]);
    expect(await unread).toEqual([1, 2, 3]);
  });

  test("a session's workspace is kept, and out of reach between its calls", async () => {
    await invoke(
      "require('fs').writeFileSync(ctx.workspaceDir + '/note', 'kept'); return 1",
      "ses_1",
    );
    const look =
      "try { return require('fs').readFileSync('/workspace/ses_1/note', 'utf8') } catch (e) { return e.code }";
    expect(await invoke(look, "ses_2")).toMatch(/ENOENT|EACCES/);
    expect(await invoke(look, "ses_1")).toBe("kept");
    await sandboxes.removeWorkspace(REF, "ses_1");
    expect(await invoke(look, "ses_1")).toBe("ENOENT");
  });

  test("a scratch workspace is fresh and ends with its call, links and all", async () => {
    const code =
      "const fs = require('fs'); fs.symlinkSync('/etc', ctx.workspaceDir + '/etc'); fs.writeFileSync(ctx.workspaceDir + '/a', ''); return fs.readdirSync(ctx.workspaceDir).length";
    expect(await invoke(code, "call_1", true)).toBe(2);
    expect(await invoke(code, "call_1", true)).toBe(2);
    expect(await readdir(join(root, "workspaces/live/agent"))).toEqual([]);
    expect(await readdir(join(root, "workspaces/scratch"))).toEqual([]);
  });

  test("a workspace's name is no path", async () => {
    for (const name of ["..", "../x", "a/b", "", "."]) {
      await expect(invoke("return 1", name)).rejects.toMatchObject({ code: "sandbox_failed" });
    }
  });

  test("with isolation per session each session has its own process", async () => {
    spec = { isolation: "session" };
    await invoke("globalThis.mine = 1; return 1", "ses_1");
    expect(await invoke("return globalThis.mine ?? null", "ses_2")).toBeNull();
    expect(await invoke("return globalThis.mine ?? null", "ses_1")).toBe(1);
    expect(sandboxes.stats()).toHaveLength(2);
  });

  test("close ends calls in flight and leaves nothing", async () => {
    const waiting = invoke("await ctx.host.kv.get('held'); return 1");
    const lost = expect(waiting).rejects.toMatchObject({ code: "runtime_lost" });
    await expect.poll(() => hostCalls.length).toBe(1);
    await sandboxes.close();
    await lost;
    await expect(invoke("return 1")).rejects.toMatchObject({ code: "runtime_lost" });
  });
});
