import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ToolManifest } from "../../../src/protocol/manifest";
import { systemClock } from "../../../src/server/platform/clock";
import { newId } from "../../../src/server/platform/id";
import { createSandboxes, provideInvoke, type Sandboxes } from "../../../src/server/sandbox";
import { invokeInSession } from "../../../src/server/workspaces";
import { requireBubblewrap, SandboxHarness } from "../../support/sandbox";
import { manifestWith, type SeededAgent, seedAgent } from "../../support/seed-agent";
import { bearerFor, send } from "../../support/test-api";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

const BUNDLE = `
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
const tool = (effect, execute) => async () => ({ default: { description: "test", effect, execute } });
export const definitions = { tools: {
  note: tool("write", async ({ name, text, fail }, ctx) => {
    await writeFile(join(ctx.workspaceDir, name), text);
    if (fail) throw new Error("after writing");
    return ctx.session.id;
  }),
  show: tool("read", async (_, ctx) => Object.fromEntries(await Promise.all(
    (await readdir(ctx.workspaceDir)).map(async (name) =>
      [name, await readFile(join(ctx.workspaceDir, name), "utf8")])))),
} };
`;
const tool = (name: string, effect: "read" | "write"): ToolManifest => ({
  name,
  file: `bot/tools/${name}.ts`,
  description: name,
  execution: "server",
  effect,
  needsApproval: "never",
  timeArgs: [],
  timeoutMs: 20_000,
});
const manifest = manifestWith({
  tools: [tool("note", "write"), tool("show", "read")],
});

describe.skipIf(!requireBubblewrap())("direct calls in the workspace of a session", () => {
  let harness: SandboxHarness;
  let folder: string;
  let berth: TestPlatform;
  let agent: SeededAgent;
  let headers: { authorization: string };
  let workers: Sandboxes[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "berth-direct-"));
    await chmod(folder, 0o711);
    berth = await startTestPlatform({ BERTH_STATE_DIR: folder });
    harness = await SandboxHarness.open({ driver: "bwrap", bundle: BUNDLE });
    agent = await seedAgent(berth, manifest);
    headers = await bearerFor(agent);
  });
  afterAll(async () => {
    provideInvoke(undefined);
    await harness.close();
    await berth.stop();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => switchTo("first"));
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    workers = [];
  });

  /** Sends the calls from here on to a worker with folders of its own. */
  async function switchTo(name: string): Promise<void> {
    const root = join(harness.folder, name);
    await mkdir(root, { recursive: true, mode: 0o711 });
    const worker = createSandboxes({
      driver: harness.driver,
      clock: systemClock,
      revision: () => Promise.resolve("1"),
      onHostCall: () => Promise.reject(new Error("no host calls here")),
      resolve: () =>
        Promise.resolve({
          bundleDir: harness.bundleDir,
          env: {},
          secretsRevision: "1",
          egressDomains: [],
          isolation: "agent" as const,
          workspaceRoot: join(root, "workspaces"),
          stateDir: join(root, "state"),
        }),
    });
    workers.push(worker);
    provideInvoke(invokeInSession({ invoke: worker.invoke.bind(worker), sandboxes: worker }));
  }

  const call = async (name: string, body: object) =>
    await send("POST", `/${agent.orgId}/agent/v1/tools/${name}`, { json: body, headers });
  const note = (sessionId: string, input: object) => call("note", { sessionId, input });
  const shown = async (sessionId: string) => (await call("show", { sessionId })).body;

  async function openSession(): Promise<string> {
    const id = newId("ses");
    await berth.sql(
      `INSERT INTO session (org_id, id, agent_id, channel, mode, principal, continuation_token)
       SELECT $1, $2, $3, 'http', 'chat', 'service:' || service_account_id, $2 FROM api_key
       WHERE org_id = $1`,
      [agent.orgId, id, agent.agentId],
    );
    return id;
  }

  test("a write changes it, a read sees it, and another worker has it too", async () => {
    const sessionId = await openSession();
    expect((await note(sessionId, { name: "a", text: "1" })).body.result).toBe(sessionId);
    expect((await shown(sessionId)).result).toEqual({ a: "1" });
    await switchTo("second");
    expect((await shown(sessionId)).result).toEqual({ a: "1" });
    await note(sessionId, { name: "b", text: "2" });
    await switchTo("first");
    expect((await shown(sessionId)).result).toEqual({ a: "1", b: "2" });
  });

  test("what a write changed before it threw is saved", async () => {
    const sessionId = await openSession();
    const { body } = await note(sessionId, { name: "a", text: "1", fail: true });
    expect(body).toMatchObject({ isError: true, result: "after writing" });
    await switchTo("third");
    expect((await shown(sessionId)).result).toEqual({ a: "1" });
  });

  test("sessions and calls on their own have folders of their own", async () => {
    const one = await openSession();
    const other = await openSession();
    await note(one, { name: "a", text: "1" });
    expect((await shown(other)).result).toEqual({});
    const alone = await call("note", { input: { name: "a", text: "1" } });
    expect(alone.body.result).toBe(alone.body.callId);
    expect((await call("show", {})).body.result).toEqual({});
  });

  test("where it cannot be made, a read runs in an empty one and a write answers 500", async () => {
    const sessionId = await openSession();
    await note(sessionId, { name: "a", text: "1" });
    await rm(join(folder, "blobs", sessionId), { recursive: true });
    await switchTo("fourth");
    expect(await shown(sessionId)).toMatchObject({
      isError: false,
      result: {},
      scratchWorkspace: true,
    });
    const { status, body } = await note(sessionId, { name: "b", text: "2" });
    expect({ status, error: body.error }).toEqual({ status: 500, error: "workspace_unavailable" });
    const rows = await berth.sql(
      "SELECT status FROM turn WHERE session_id = $1 ORDER BY id DESC LIMIT 1",
      [sessionId],
    );
    expect(rows).toEqual([{ status: "failed" }]);
  });
});
