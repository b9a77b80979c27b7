import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { RuntimeCall } from "../../../src/protocol/runtime-rpc";
import { newUuid } from "../../../src/server/platform/id";
import { AgentStates } from "../../../src/server/workspaces";
import { manifestWith, seedAgent } from "../../support/seed-agent";
import { listFolder, WorkspaceWorld } from "../../support/workspace-world";

let world: WorkspaceWorld;
let ref: { orgId: string; agentId: string; version: number };
const open: AgentStates[] = [];

beforeAll(async () => {
  world = await WorkspaceWorld.start();
});
beforeEach(async () => {
  const { orgId, agentId } = await seedAgent(world.platform, manifestWith({ persistent: true }));
  ref = { orgId, agentId, version: 1 };
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((states) => states.close()));
});
afterAll(() => world.stop());

const CALL: RuntimeCall = {
  kind: "instructions",
  session: { id: "ses_1", channel: "http", mode: "chat", auth: { principal: "p" }, dryRun: false },
};

type Work = (folder: string) => Promise<unknown>;

/** A worker whose calls do what they are given, in the agent's state folder. */
function newWorker(quota?: { bytes: number; files: number }) {
  const id = newUuid();
  const folder = join(world.folder, "states", id, ref.agentId);
  let work: Work = () => Promise.resolve();
  const port = {
    stateFolder: () => Promise.resolve(folder),
    invoke: () => work(folder),
  };
  const states = new AgentStates(id, port, quota);
  open.push(states);
  const call = (next: Work, timeoutMs = 20_000) => {
    work = next;
    return states.invoke(ref, CALL, { timeoutMs });
  };
  return { id, folder, states, call };
}

const write =
  (name: string, text: string): Work =>
  (folder) =>
    writeFile(join(folder, name), text);

const leaseTo = (workerId: string | null, seconds: number) =>
  world.platform.sql(
    `UPDATE agent SET state_worker = $2,
       state_lease_until = clock_timestamp() + make_interval(secs => $3) WHERE id = $1`,
    [ref.agentId, workerId, seconds],
  );

test("ctx.stateRoot is the same on whatever worker the next call runs", async () => {
  const [first, second] = [newWorker(), newWorker()];
  await first.call(async (folder) => {
    await mkdir(join(folder, "deep"));
    await writeFile(join(folder, "deep/a"), "1");
    await writeFile(join(folder, "b"), "1");
  });
  await second.call(async (folder) => {
    expect(await listFolder(folder)).toEqual({ "deep/a": "1", b: "1" });
    await rm(join(folder, "b"));
    await writeFile(join(folder, "c"), "2");
  });
  await first.call(async (folder) => {
    expect(await listFolder(folder)).toEqual({ "deep/a": "1", c: "2" });
  });
});

test("two workers that race never write the state at the same time", async () => {
  const workers = [newWorker(), newWorker()];
  let inside = 0;
  const increment: Work = async (folder) => {
    inside += 1;
    const at = join(folder, "count");
    const before = Number(await readFile(at, "utf8").catch(() => "0"));
    await writeFile(at, String(before + 1));
    expect(inside).toBe(1);
    inside -= 1;
  };
  for (const worker of workers) await worker.call(() => Promise.resolve());
  const racing = workers.map(async (worker) => {
    for (let n = 0; n < 5; n++) await worker.call(increment, 60_000);
  });
  await Promise.all(racing);
  await workers[0]!.call(async (folder) => {
    expect(await readFile(join(folder, "count"), "utf8")).toBe("10");
  });
});

test("the state of a killed worker goes on with what its last finished call saved", async () => {
  const killed = newWorker();
  await killed.call(write("a", "saved"));
  await writeFile(join(killed.folder, "a"), "lost");
  const next = newWorker();
  await leaseTo(next.id, 60); // as if the lease had run out
  await next.call(async (folder) => {
    expect(await listFolder(folder)).toEqual({ a: "saved" });
  });
});

test("a call whose worker lost the state meanwhile fails, and changes nothing", async () => {
  const first = newWorker();
  await first.call(write("a", "before"));
  const call = first.call(async (folder) => {
    await leaseTo("another", 60);
    await writeFile(join(folder, "a"), "too late");
  });
  await expect(call).rejects.toMatchObject({ code: "runtime_lost", sent: true });
  await leaseTo(null, 0);
  await newWorker().call(async (folder) => {
    expect(await listFolder(folder)).toEqual({ a: "before" });
  });
});

test("a worker that had lost the state for a while does not take its old copy for the newest", async () => {
  const first = newWorker();
  await first.call(write("a", "old"));
  const second = newWorker();
  await leaseTo(second.id, 60);
  await second.call(write("a", "new"));
  await second.states.close();
  await first.call(async (folder) => {
    expect(await listFolder(folder)).toEqual({ a: "new" });
  });
});

test("a call that waits in vain says why, and was not run", async () => {
  await leaseTo("another", 60);
  let ran = false;
  const call = newWorker().call(() => {
    ran = true;
    return Promise.resolve();
  }, 200);
  await expect(call).rejects.toMatchObject({
    code: "sandbox_failed",
    message: "Another worker holds the agent's state.",
  });
  expect(ran).toBe(false);
  await leaseTo(null, 0);
});

test("an agent that does not use its state needs no lease", async () => {
  const { orgId, agentId } = await seedAgent(world.platform, manifestWith());
  ref = { orgId, agentId, version: 1 };
  await leaseTo("another", 60);
  expect(await newWorker().call(() => Promise.resolve("ran"), 200)).toBe("ran");
});

describe("its limit", () => {
  const rows = async () => {
    const found = await world.platform.sql<{ path: string }>(
      "SELECT path FROM state_file WHERE agent_id = $1 ORDER BY path",
      [ref.agentId],
    );
    return found.map(({ path }) => path);
  };

  test("takes exactly as many bytes as it says, and the rest is not saved", async () => {
    const worker = newWorker({ bytes: 10, files: 10 });
    await worker.call(write("b", "12345"));
    await worker.call(write("c", "12345"));
    expect(await rows()).toEqual(["b", "c"]);
    await worker.call(write("a", "1"));
    expect(await rows()).toEqual(["b", "c"]);
  });
});
