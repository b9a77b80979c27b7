import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RuntimeCall } from "../../../src/protocol/runtime-rpc";
import type { Invoke } from "../../../src/server/sandbox";
import { invokeInSession } from "../../../src/server/workspaces";
import { type TestWorker, WorkspaceWorld } from "../../support/workspace-world";

let world: WorkspaceWorld;
let first: TestWorker;
let second: TestWorker;

beforeAll(async () => {
  world = await WorkspaceWorld.start();
  first = world.worker("first");
  second = world.worker("second");
});
afterAll(async () => {
  await first.sandboxes.close();
  await second.sandboxes.close();
  await world.stop();
});

const callIn = (workspace: string, epoch?: number): RuntimeCall => ({
  kind: "tool",
  name: "any",
  input: {},
  approved: false,
  scope: {
    toolCallId: "call_1",
    workspace,
    session: {
      id: workspace,
      channel: "http",
      mode: "chat",
      auth: { principal: "test" },
      dryRun: false,
    },
    ...(epoch === undefined ? {} : { epoch }),
  },
});

type Work = (path: string) => Promise<unknown>;

/** Runs a direct call on a worker, whose tool does `work` in the session's folder. */
async function direct(worker: TestWorker, sessionId: string, work: Work, epoch?: number) {
  const invoke: Invoke = (_ref, call) => {
    expect(JSON.stringify(call)).not.toContain("epoch");
    return worker.inFolder(sessionId, work);
  };
  const { orgId, agentId } = world.agent;
  const call = invokeInSession({ invoke, sandboxes: worker.sandboxes });
  return await call({ orgId, agentId, version: 1 }, callIn(sessionId, epoch), {
    timeoutMs: 10_000,
  });
}

const reading: Work = (path) => readFile(join(path, "file"), "utf8");
const writing =
  (text: string): Work =>
  (path) =>
    writeFile(join(path, "file"), text);

const epochOf = async (sessionId: string): Promise<number> => {
  const [row] = await world.platform.sql<{ epoch: number }>(
    "SELECT epoch FROM session WHERE id = $1",
    [sessionId],
  );
  return row!.epoch;
};

test("a read beside a turn sees the turn's folder on its worker, and the saved one elsewhere", async () => {
  const sessionId = await world.session();
  const turn = await world.open(first, sessionId);
  await first.inFolder(sessionId, writing("saved"));
  await world.save(turn, sessionId);
  await first.inFolder(sessionId, writing("not saved yet"));
  expect(await direct(first, sessionId, reading)).toBe("not saved yet");
  expect(await direct(second, sessionId, reading)).toBe("saved");
  expect((await world.save(turn, sessionId)).revision).toBe(2);
  await turn.close();
});

test("what a call that only reads wrote is not kept", async () => {
  const sessionId = await world.session();
  await direct(first, sessionId, writing("by a read"));
  expect(await world.rows(sessionId)).toEqual([]);
  await (await world.open(first, sessionId)).close();
  expect(await first.list(sessionId)).toEqual({});
});

test("what a call that holds the session wrote is saved under its epoch, even if it failed", async () => {
  const sessionId = await world.session();
  const epoch = await epochOf(sessionId);
  await direct(first, sessionId, writing("one"), epoch);
  const failing = direct(
    second,
    sessionId,
    async (path) => {
      await writing("two")(path);
      throw new Error("after writing");
    },
    epoch,
  );
  await expect(failing).rejects.toThrow("after writing");
  await (await world.open(first, sessionId)).close();
  expect(await first.list(sessionId)).toEqual({ file: "two" });
});

test("a call that lost the session saves nothing", async () => {
  const sessionId = await world.session();
  const epoch = await epochOf(sessionId);
  const lost = direct(
    first,
    sessionId,
    async (path) => {
      await writing("too late")(path);
      await world.platform.sql("UPDATE session SET epoch = epoch + 1 WHERE id = $1", [sessionId]);
    },
    epoch,
  );
  await expect(lost).rejects.toMatchObject({ code: "runtime_lost", sent: true });
  expect(await world.rows(sessionId)).toEqual([]);
});
