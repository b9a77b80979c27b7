import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBlob, putBlob, removeHolder, sweepIncoming } from "../../../src/server/blobs";
import { withSqlTransaction } from "../../../src/server/platform/transaction";
import { type SeededAgent, seedAgent } from "../../support/seed-agent";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

let folder: string;
let world: TestPlatform;
let ours: SeededAgent;
let theirs: SeededAgent;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "berth-org-blobs-"));
  world = await startTestPlatform({ BERTH_STATE_DIR: folder });
  ours = await seedAgent(world);
  theirs = await seedAgent(world);
});
afterAll(async () => {
  await world.stop();
  await rm(folder, { recursive: true });
});

const LIMIT = { maxBytes: 1000 };

test("an org reads what it put there, and another org does not know it exists", async () => {
  const { sha256 } = await putBlob(ours.orgId, Buffer.from("ours"), LIMIT);
  const { stream, size } = await openBlob(ours.orgId, sha256);
  expect([size, await text(stream)]).toEqual([4, "ours"]);
  await expect(openBlob(theirs.orgId, sha256)).rejects.toMatchObject({ code: "not_found" });
  await putBlob(theirs.orgId, Buffer.from("ours"), LIMIT);
  expect(await text((await openBlob(theirs.orgId, sha256)).stream)).toBe("ours");
});

test("a blob noted in a transaction that fails is not held", async () => {
  let sha256 = "";
  const failing = withSqlTransaction(ours.orgId, async (tx) => {
    ({ sha256 } = await putBlob(ours.orgId, Buffer.from("rolled back"), { ...LIMIT, tx }));
    throw new Error("and then something broke");
  });
  await expect(failing).rejects.toThrow("and then something broke");
  expect(sha256).toHaveLength(64);
  await expect(openBlob(ours.orgId, sha256)).rejects.toMatchObject({ code: "not_found" });
});

test("what a session holds is erased with it, and only read by its name", async () => {
  const holder = "ses_held";
  const { sha256 } = await putBlob(ours.orgId, Buffer.from("held"), { ...LIMIT, holder });
  await putBlob(theirs.orgId, Buffer.from("held"), { ...LIMIT, holder: "ses_other" });
  expect(await text((await openBlob(ours.orgId, sha256, { holder })).stream)).toBe("held");
  const notFound = { code: "not_found" };
  await expect(openBlob(ours.orgId, sha256)).rejects.toMatchObject(notFound);
  await expect(openBlob(theirs.orgId, sha256, { holder })).rejects.toMatchObject(notFound);

  await removeHolder(ours.orgId, holder);
  await expect(openBlob(ours.orgId, sha256, { holder })).rejects.toMatchObject(notFound);
  const rows = await world.sql("SELECT holder FROM blob WHERE sha256 = $1", [sha256]);
  expect(rows).toEqual([{ holder: "ses_other" }]);
  const left = await readdir(folder, { recursive: true });
  expect(left.filter((path) => path.includes(holder))).toEqual([]);
});

test("what killed processes left half written is removed once nobody can still write it", async () => {
  const incoming = join(folder, "blobs", "incoming");
  await mkdir(incoming, { recursive: true });
  const minutesAgo = { left: 16, written: 14 };
  for (const [name, minutes] of Object.entries(minutesAgo)) {
    const at = new Date(Date.now() - minutes * 60_000);
    await writeFile(join(incoming, name), "half of it");
    await utimes(join(incoming, name), at, at);
  }
  expect(await sweepIncoming()).toBe(1);
  expect(await readdir(incoming)).toEqual(["written"]);
  await rm(incoming, { recursive: true });
  expect(await sweepIncoming()).toBe(0);
});
