import { afterAll, beforeAll, expect, test } from "vitest";
import { type Platform, setPlatform } from "../../../src/server/platform/platform";
import { withSqlTransaction } from "../../../src/server/platform/transaction";
import {
  deleteSecret,
  listSecrets,
  runtimeEnv,
  runtimeRedactor,
  runtimeRevision,
  setSecrets,
  unsealForOrg,
} from "../../../src/server/secrets";
import { type SeededAgent, seedAgent } from "../../support/seed-agent";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

let world: TestPlatform;
let ours: SeededAgent;
let theirs: SeededAgent;

beforeAll(async () => {
  world = await startTestPlatform();
  ours = await seedAgent(world);
  theirs = await seedAgent(world);
});
afterAll(() => world.stop());

const refOf = ({ orgId, agentId }: SeededAgent, secretNames: string[] = []) => ({
  orgId,
  agentId,
  secretNames,
});

test("a secret is delivered as it was set, and shown by length and fingerprint only", async () => {
  const value = "päss\nword🗝";
  const { ctx, agentId } = ours;
  const [receipt] = await setSecrets(ctx, { agentId, secrets: { TOKEN: value } });
  expect(receipt).toMatchObject({ name: "TOKEN", version: 1, length: Buffer.byteLength(value) });
  expect(receipt?.fingerprint).toMatch(/^[0-9a-f]{6}$/);
  expect((await runtimeEnv(refOf(ours))).env).toEqual({ TOKEN: value });
  const shown = [
    await listSecrets(ctx, { agentId }),
    await world.sql("SELECT before, after FROM audit_entry"),
  ];
  expect(JSON.stringify(shown)).toContain("TOKEN");
  expect(JSON.stringify(shown)).not.toContain("word");
});

test("what is stored is not the value, nor the key that opens it", async () => {
  await setSecrets(ours.ctx, { agentId: ours.agentId, secrets: { PLAIN: "find-me-if-you-can" } });
  const rows = await world.sql<{ sealed: Buffer }>(
    "SELECT sealed FROM secret WHERE name = 'PLAIN'",
  );
  expect(rows[0]?.sealed.includes("find-me")).toBe(false);
  const [key] = await world.sql<{ wrapped: Buffer }>("SELECT wrapped FROM data_key");
  expect(key?.wrapped).toHaveLength(12 + 16 + 32);
});

test("each setting is a version; deleting wipes them all and setting again goes on", async () => {
  const agentId = ours.agentId;
  const set = (value: string) => setSecrets(ours.ctx, { agentId, secrets: { ROLLED: value } });
  await set("first value");
  expect((await set("second value"))[0]?.version).toBe(2);
  expect((await runtimeEnv(refOf(ours))).env.ROLLED).toBe("second value");
  await deleteSecret(ours.ctx, { agentId, name: "ROLLED" });
  expect((await runtimeEnv(refOf(ours))).env).not.toHaveProperty("ROLLED");
  const rows = await world.sql<{ sealed: Buffer }>(
    "SELECT sealed FROM secret WHERE name = 'ROLLED'",
  );
  expect(rows.map(({ sealed }) => sealed.length)).toEqual([0, 0]);
  await expect(deleteSecret(ours.ctx, { agentId, name: "ROLLED" })).rejects.toMatchObject({
    code: "not_found",
  });
  expect((await set("third value"))[0]?.version).toBe(3);
});

test("several are set together or not at all", async () => {
  const secrets = { GOOD_ONE: "a good value", "bad-name": "a bad value" };
  await expect(setSecrets(ours.ctx, { agentId: ours.agentId, secrets })).rejects.toMatchObject({
    code: "invalid_secret_name",
  });
  const names = (await listSecrets(ours.ctx, { agentId: ours.agentId })).map(({ name }) => name);
  expect(names).not.toContain("GOOD_ONE");
});

test.each([
  "lower",
  "1ST",
  "A-B",
  "",
  "A".repeat(129),
  "NODE_OPTIONS",
  "LD_PRELOAD",
  "PATH",
  "BERTH_X",
])("%j names no secret", async (name) => {
  const secrets = { [name]: "some value" };
  await expect(setSecrets(ours.ctx, { agentId: ours.agentId, secrets })).rejects.toMatchObject({
    code: "invalid_secret_name",
  });
});

test("64 KiB fit, one byte more does not", async () => {
  const agentId = theirs.agentId;
  const set = (size: number) =>
    setSecrets(theirs.ctx, { agentId, secrets: { BIG: "x".repeat(size) } });
  await set(64 * 1024);
  await expect(set(64 * 1024 + 1)).rejects.toMatchObject({ code: "invalid_request" });
});

test("the org's secrets reach the agents that name them, and an agent's own win", async () => {
  const { ctx, agentId } = ours;
  await setSecrets(ctx, {
    secrets: { SHARED: "from the org", HIDDEN: "not named", TOKEN2: "org's" },
  });
  await setSecrets(ctx, { agentId, secrets: { TOKEN2: "agent's" } });
  const { env } = await runtimeEnv(refOf(ours, ["SHARED", "TOKEN2", "UNSET"]));
  expect(env).toMatchObject({ SHARED: "from the org", TOKEN2: "agent's" });
  expect(env).not.toHaveProperty("HIDDEN");
  expect((await runtimeEnv(refOf(ours))).env).not.toHaveProperty("SHARED");
});

test("the revision changes with each change of what would be delivered", async () => {
  const { ctx, agentId } = ours;
  const plain = refOf(ours);
  const named = refOf(ours, ["SHARED"]);
  const seen = [await runtimeRevision(plain), await runtimeRevision(named)];
  expect((await runtimeEnv(named)).revision).toBe(seen[1]);
  await setSecrets(ctx, { secrets: { SHARED: "another one" } });
  expect(await runtimeRevision(plain)).toBe(seen[0]);
  expect(await runtimeRevision(named)).not.toBe(seen[1]);
  await setSecrets(ctx, { agentId, secrets: { OWN: "own value" } });
  expect(await runtimeRevision(plain)).not.toBe(seen[0]);
});

test("the redactor follows the secrets", async () => {
  const { ctx, agentId } = ours;
  const ref = refOf(ours);
  await setSecrets(ctx, { agentId, secrets: { KEY: "oldsecretvalue" } });
  expect((await runtimeRedactor(ref)).text("oldsecretvalue newsecretvalue")).toBe(
    "[secret:KEY] newsecretvalue",
  );
  expect(await runtimeRedactor(ref)).toBe(await runtimeRedactor(ref));
  await setSecrets(ctx, { agentId, secrets: { KEY: "newsecretvalue" } });
  expect((await runtimeRedactor(ref)).text("newsecretvalue")).toBe("[secret:KEY]");
});

test("twenty settings of one name at once are twenty versions", async () => {
  const { ctx, agentId } = ours;
  const receipts = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      setSecrets(ctx, { agentId, secrets: { RACED: `value number ${i}` } }),
    ),
  );
  const versions = receipts.map(([receipt]) => receipt?.version ?? 0).sort((a, b) => a - b);
  expect(versions).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
});

test("two first uses at once share one data key", async () => {
  const fresh = await seedAgent(world);
  const { ctx, agentId } = fresh;
  await Promise.all([
    setSecrets(ctx, { agentId, secrets: { A: "value of A" } }),
    setSecrets(ctx, { secrets: { B: "value of B" } }),
  ]);
  const keys = await world.sql("SELECT id FROM data_key WHERE org_id = $1", [fresh.orgId]);
  expect(keys).toHaveLength(1);
  expect((await runtimeEnv(refOf(fresh, ["B"]))).env).toEqual({ A: "value of A", B: "value of B" });
});

test("a sealed value opens only where it was sealed", async () => {
  const { agentId, orgId } = ours;
  await setSecrets(ours.ctx, { agentId, secrets: { HERE: "stays here" } });
  const [row] = await world.sql<{ sealed: Buffer; data_key_id: number }>(
    "SELECT sealed, data_key_id FROM secret WHERE name = 'HERE'",
  );
  const open = (place: object) =>
    withSqlTransaction(orgId, (tx) =>
      unsealForOrg(
        tx,
        { scope: agentId, name: "HERE", version: 1, ...place },
        { sealed: row!.sealed, dataKeyId: row!.data_key_id },
      ),
    );
  expect(await open({})).toBe("stays here");
  for (const place of [{ scope: "*" }, { name: "THERE" }, { version: 2 }]) {
    await expect(open(place)).rejects.toThrow();
  }
});

test("another master key opens nothing", async () => {
  const fresh = await seedAgent(world);
  const { ctx, agentId } = fresh;
  await setSecrets(ctx, { agentId, secrets: { A: "value of A" } });
  // Another process, so without the keys this one has open: an org it has not met.
  await world.sql("UPDATE data_key SET id = 2 WHERE org_id = $1", [fresh.orgId]);
  await world.sql("UPDATE secret SET data_key_id = 2 WHERE org_id = $1", [fresh.orgId]);
  const env = { ...world.platform.env, BERTH_MASTER_KEY: Buffer.alloc(32, 9).toString("base64") };
  setPlatform({ ...world.platform, env } as Platform);
  try {
    await expect(runtimeEnv(refOf(fresh))).rejects.toThrow();
  } finally {
    setPlatform(world.platform);
  }
});

test("another org's agent is not found, whatever is asked", async () => {
  const agentId = theirs.agentId;
  const secrets = { X: "some value" };
  for (const run of [
    () => setSecrets(ours.ctx, { agentId, secrets }),
    () => listSecrets(ours.ctx, { agentId }),
    () => deleteSecret(ours.ctx, { agentId, name: "BIG" }),
    () => runtimeEnv({ orgId: ours.orgId, agentId, secretNames: [] }),
    () => runtimeRevision({ orgId: ours.orgId, agentId, secretNames: [] }),
  ]) {
    await expect(run()).rejects.toMatchObject({ code: "not_found" });
  }
});

test("reading for a process is in the audit log, by names alone", async () => {
  await world.sql("DELETE FROM audit_entry WHERE org_id = $1", [theirs.orgId]);
  await runtimeEnv(refOf(theirs));
  const rows = await world.sql(
    "SELECT actor, action, entity_id, after FROM audit_entry WHERE org_id = $1",
    [theirs.orgId],
  );
  expect(rows).toEqual([
    {
      actor: "system:runtime",
      action: "secret.read",
      entity_id: theirs.agentId,
      after: { names: ["BIG"] },
    },
  ]);
});
