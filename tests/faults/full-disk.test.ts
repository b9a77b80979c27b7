import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { BerthApiError } from "../../src/sdk/client";
import { type Farm, startFarm, until } from "../support/faults/farm";
import { expectInvariants } from "../support/faults/invariants";
import { type OwnPostgres, startOwnPostgres } from "../support/faults/own-postgres";
import { ask, begin, follow } from "../support/faults/sessions";
import { scriptText } from "../support/scripted-model/script";
import { canMount, mountSmallDisk, type SmallDisk } from "../support/small-disk";

let disk: SmallDisk;
let farm: Farm;

const atRest = () =>
  until(
    () => "every session to come to rest",
    async () => {
      const live = await farm.sql("SELECT id FROM turn WHERE status IN ('queued', 'running')");
      return live.length === 0;
    },
    60_000,
  );

const endOf = async (message: string) => (await follow(farm, await begin(farm, message))).at(-1);

describe.skipIf(!canMount)("a state folder without room", () => {
  beforeAll(async () => {
    disk = await mountSmallDisk(64);
    farm = await startFarm({ env: { BERTH_STATE_DIR: disk.folder } });
  });
  afterEach(() => disk?.free());
  afterAll(async () => {
    await farm?.stop();
    await disk?.remove();
  });

  test("is named to who deploys, and there is nothing left of the attempt", async () => {
    await disk.fill();
    const refused = await farm.deploy({ "bot/instructions.md": "Answer full.\n" }).catch((e) => e);
    expect(refused).toBeInstanceOf(BerthApiError);
    expect(refused).toMatchObject({ status: 507, code: "storage_full" });
    await disk.free();
    const versions = await farm.sql<{ version: number; status: string }>(
      "SELECT version, status FROM deployment ORDER BY version",
    );
    expect(versions).toEqual([{ version: 1, status: "ready" }]);
    expect(await farm.deploy({ "bot/instructions.md": "Answer again.\n" })).toBe(2);
  });

  test("ends turns by name, and they run as before once there is room", async () => {
    const call = { calls: [{ name: "write_effect", input: {} }] };
    await disk.fill();
    const ended = await Promise.all([endOf("hello"), endOf(scriptText(call, { text: "done" }))]);
    for (const last of ended) expect(last?.type).toMatch(/^turn\.(completed|failed)$/);
    await disk.free();
    expect((await endOf(scriptText(call, { text: "done" })))?.type).toBe("turn.completed");
    await expectInvariants(farm);
  });
});

describe.skipIf(!canMount)("a database without room", () => {
  let server: OwnPostgres;

  beforeAll(async () => {
    disk = await mountSmallDisk(320);
    const small = ["max_wal_size=48MB", "min_wal_size=32MB", "checkpoint_timeout=30s"];
    server = await startOwnPostgres(disk.folder, small);
    farm = await startFarm({ database: server });
  });
  afterAll(async () => {
    await farm?.stop();
    await server?.stop();
    await disk?.remove();
  });

  /** A message that no compression makes small. */
  const large = () => `hello ${randomBytes(200_000).toString("base64")}`;

  test("refuses with a reason, keeps what it accepted, and goes on once there is room", async () => {
    const accepted: string[] = [];
    const refused: number[] = [];
    const send = async () => {
      const body = JSON.stringify({ message: large() });
      const answer = await ask(farm, "/session", { method: "POST", body });
      if (answer.status === 202) accepted.push((await answer.json()).sessionId);
      else refused.push(answer.status);
    };
    await send();
    await disk.fill();
    await until(
      () => `refusals; ${accepted.length} were accepted`,
      async () => {
        await Promise.all([send(), send(), send(), send()]);
        await disk.fill(); // what a checkpoint gave back
        return refused.length >= 8;
      },
      90_000,
    );
    expect(refused.filter((status) => status !== 503 && status !== 507)).toEqual([]);
    await disk.free();
    // Without room for its log Postgres gives up; whoever supervises it starts it again.
    if (!server.running()) await server.start();
    await farm.ready();
    await atRest();
    const kept = await farm.sql<{ id: string }>("SELECT id FROM session");
    const ids = new Set(kept.map(({ id }) => id));
    expect(accepted.filter((id) => !ids.has(id))).toEqual([]);
    expect((await endOf("hello"))?.type).toBe("turn.completed");
    process.stdout.write(`full disk: ${accepted.length} accepted, refused ${refused.join(" ")}\n`);
    await expectInvariants(farm);
  }, 240_000);
});
