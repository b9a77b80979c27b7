import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { RuntimeCall, ToolOutcome } from "../../../src/protocol/runtime-rpc";
import { createSandboxes, type Sandboxes } from "../../../src/server/sandbox";
import { requireBubblewrap, SandboxHarness, toolCall } from "../../support/sandbox";
import { ShellHarness } from "../../support/shells";

const usable = requireBubblewrap();
const REF = { orgId: "org_a", agentId: "agt_a", version: 1 };

describe.skipIf(!usable)("shells beside the agent's process", () => {
  let harness: SandboxHarness;
  let shell: ShellHarness;
  let sandboxes: Sandboxes;
  let isolation: "agent" | "session";

  beforeAll(async () => {
    harness = await SandboxHarness.open({ driver: "bwrap" });
  });
  afterAll(() => harness?.close());
  beforeEach(async () => {
    isolation = "agent";
    shell = await ShellHarness.open(harness);
    sandboxes = createSandboxes({
      driver: harness.driver,
      folders: shell.folders,
      clock: { now: () => new Date(shell.now) },
      revision: () => Promise.resolve("r1"),
      resolve: () =>
        Promise.resolve({
          ...{ bundleDir: harness.bundleDir, env: {}, secretsRevision: "r1", egressDomains: [] },
          ...{ isolation, workspaceRoot: shell.root, stateDir: join(harness.folder, "state") },
        }),
      onHostCall: () => Promise.resolve(null),
    });
  });
  afterEach(async () => {
    await shell.shells.close();
    await sandboxes.close();
    expect(shell.shells.stats()).toEqual([]);
  });

  const inAgent = async (code: string, workspace: string) => {
    const made = toolCall("run", { code }) as Extract<RuntimeCall, { kind: "tool" }>;
    const call = { ...made, scope: { ...made.scope, workspace } };
    const outcome = (await sandboxes.invoke(REF, call, { timeoutMs: 10_000 })) as ToolOutcome;
    if (outcome.outcome !== "returned") throw new Error(JSON.stringify(outcome));
    return outcome.result;
  };
  const inShell = async (command: string, session: string) => {
    const place = await sandboxes.shellPlace(REF, session);
    const outcome = await shell.shells.call(
      place,
      { kind: "shell", command: `{ ${command}; } 2>&1` },
      { timeoutMs: 10_000 },
    );
    if (!outcome.ok || outcome.kind !== "shell") throw new Error(JSON.stringify(outcome));
    return outcome.output.head;
  };
  const read = (path: string) =>
    `try { return require("fs").readFileSync(${path}, "utf8") } catch (e) { return e.code }`;

  test.skipIf(process.getuid?.() !== 0)(
    "a session that locks itself out of its workspace gets in again",
    async () => {
      await inShell("echo kept > kept.txt; chmod 000 .", "ses_locked");
      expect(await inShell("cat kept.txt", "ses_locked")).toBe("kept\n");
    },
  );

  test.each(["agent", "session"] as const)(
    "with isolation %s both work on one folder and may change each other's files",
    async (kind) => {
      isolation = kind;
      const write =
        "const fs = require('fs'), d = ctx.workspaceDir; fs.mkdirSync(d + '/made'); fs.writeFileSync(d + '/made/a', 'agent'); return 1";
      await inAgent(write, "ses_1");
      expect(
        await inShell("cat made/a; echo shell > made/a; mkdir -p out; echo b > out/b", "ses_1"),
      ).toBe("agent");
      expect(await inAgent(read("ctx.workspaceDir + '/made/a'"), "ses_1")).toBe("shell\n");
      const change =
        "const fs = require('fs'), d = ctx.workspaceDir; fs.appendFileSync(d + '/out/b', 'c'); fs.rmSync(d + '/made', { recursive: true }); return 1";
      await inAgent(change, "ses_1");
      expect(await inShell("ls; cat out/b", "ses_1")).toBe("out\nb\nc");
    },
  );

  test.each(["agent", "session"] as const)(
    "with isolation %s a session is in no other session's sight",
    async (kind) => {
      isolation = kind;
      await inShell("echo mine > secret", "ses_1");
      const look = read("'/workspace/ses_1/secret'");
      expect(await inAgent(look, "ses_2")).toMatch(/ENOENT|EACCES/);
      expect(
        await inShell("cat /workspace/ses_1/secret ../ses_1/secret; ls; true", "ses_2"),
      ).not.toContain("mine");
      expect(await inAgent(look, "ses_1")).toBe("mine\n");
    },
  );

  test("with isolation session not even while the other session's call runs", async () => {
    isolation = "session";
    const holding = inShell("echo mine > secret; until [ -e go ]; do sleep 0.02; done", "ses_1");
    await expect.poll(() => inShell("ls", "ses_1")).toContain("secret");
    expect(await inAgent(read("'/workspace/ses_1/secret'"), "ses_2")).toBe("ENOENT");
    expect(await inAgent(read("'/workspace/ses_1/secret'"), "ses_1")).toBe("mine\n");
    await inShell("touch go", "ses_1");
    await holding;
  });

  test("idle shells end, those in use stay", async () => {
    await shell.run("sleep 300 & true", "ses_1");
    const busy = shell.run("until [ -e go ]; do sleep 0.02; done; echo went", "ses_2");
    await expect.poll(() => shell.shells.stats().length, { timeout: 10_000 }).toBe(2);
    shell.now += 59_000;
    await shell.shells.reap();
    expect(shell.shells.stats()).toHaveLength(2);
    shell.now += 1_000;
    await shell.shells.reap();
    expect(shell.shells.stats().map(({ session }) => session)).toEqual(["ses_2"]);
    await shell.done({ kind: "write", path: "go", content: "" }, "ses_2");
    expect(await busy).toBe("went\n");
  });

  test("calls at once share one start; one that is closed has its own", async () => {
    const pids = await Promise.all([1, 2, 3].map(() => shell.run("readlink /proc/self/ns/pid")));
    expect(pids).toEqual(pids.map(() => pids[0]));
    expect(await shell.run("readlink /proc/self/ns/pid", "ses_a", false)).not.toBe(pids[0]);
    expect(shell.shells.stats()).toHaveLength(2);
    await shell.shells.end(shell.place());
    expect(shell.shells.stats()).toEqual([]);
  });

  test("file work goes to the closed shell where that is the only one", async () => {
    await shell.run("echo x > f", "ses_a", false);
    await shell.done({ kind: "read", path: "f" });
    expect(shell.shells.stats()).toHaveLength(1);
  });

  test("a folder that was replaced, or other domains, mean a new shell", async () => {
    await shell.run("echo old > f");
    await rename(join(shell.root, "parked/ses_a"), join(shell.root, "gone"));
    expect(await shell.run("ls; echo new > f")).toBe("");
    await rm(join(shell.root, "gone"), { recursive: true });
    const [before] = shell.shells.stats();
    const place = shell.place("ses_a", { egressDomains: ["more.test"] });
    const call = { kind: "shell", command: "cat f; echo $PPID" } as const;
    expect(await shell.shells.call(place, call, { timeoutMs: 10_000 })).toMatchObject({
      output: { head: expect.stringMatching(/^new\n/) },
    });
    expect(shell.shells.stats()).toHaveLength(1);
    expect(before).toBeDefined();
  });

  test("at rest a shell ends with what it left running, unless a call uses it", async () => {
    const busy = shell.run("touch begun; until [ -e go ]; do sleep 0.02; done; echo went", "ses_1");
    await expect.poll(() => shell.run("ls", "ses_1"), { timeout: 10_000 }).toBe("begun\n");
    const folder = await sandboxes.workspaceFolder(REF, "ses_1");
    await folder.rest();
    await shell.run("sleep 300 & touch go", "ses_1");
    expect(await busy).toBe("went\n");
    await folder.rest();
    expect(shell.shells.stats()).toEqual([]);
    expect(await shell.run("ls", "ses_1")).toBe("begun\ngo\n");
  });

  test("removing a workspace ends its shell, and no other", async () => {
    await shell.run("sleep 300 & echo x > f", "ses_1");
    await shell.run("true", "ses_2");
    await sandboxes.removeWorkspace(REF, "ses_1");
    expect(shell.shells.stats().map(({ session }) => session)).toEqual(["ses_2"]);
    expect(await shell.run("ls", "ses_1")).toBe("");
  });

  test("more sessions of one agent than one limit of processes allows have shells at once", async () => {
    const many = await ShellHarness.open(harness, { limits: { pids: 40 } });
    const sessions = Array.from({ length: 8 }, (_, i) => `ses_${i}`);
    const said = await Promise.all(sessions.map((session) => many.run("echo on | cat", session)));
    expect(said).toEqual(sessions.map(() => "on\n"));
    await many.shells.close();
  });

  test("close ends calls in flight and leaves nothing", async () => {
    const waiting = shell.run("touch begun; sleep 300");
    const lost = expect(waiting).rejects.toMatchObject({ code: "runtime_lost", sent: true });
    await expect.poll(() => shell.run("ls")).toContain("begun");
    await shell.shells.close();
    await lost;
    await expect(shell.run("true")).rejects.toMatchObject({ code: "runtime_lost" });
  });
});
