import { afterAll, beforeAll, expect, test } from "vitest";
import { ROLE_PERMISSIONS } from "../../../src/protocol/permission";
import {
  authenticateBearer,
  createApiKey,
  ctxForCaller,
  listApiKeys,
  listServiceAccounts,
  revokeApiKey,
} from "../../../src/server/tenancy";
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

const origin = { via: "api" as const, ip: null, requestId: "req" };

test("a key speaks for its service account with its permissions, in its org only", async () => {
  const key = await createApiKey(ours.ctx, { name: "ci", permissions: ["agents:read"] });
  const caller = await authenticateBearer(key.token);
  expect(caller).toMatchObject({ keyId: key.id, orgId: ours.orgId, serviceAccountName: "ci" });
  const ctx = await ctxForCaller(caller, ours.orgId, origin);
  expect([...ctx.permissions]).toEqual(["agents:read"]);
  expect(ctx.actor).toEqual({ kind: "service", id: key.serviceAccountId, label: "ci" });
  await expect(ctxForCaller(caller, theirs.orgId, origin)).rejects.toMatchObject({
    code: "not_found",
  });
});

test("a key lasts ninety days unless told otherwise, and gets a developer's permissions", async () => {
  const key = await createApiKey(ours.ctx, { name: "default" });
  const days = (key.expiresAt!.getTime() - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(89.9);
  expect(days).toBeLessThanOrEqual(90);
  expect(new Set(key.permissions)).toEqual(ROLE_PERMISSIONS.developer);
  const lasting = await createApiKey(ours.ctx, { name: "lasting", expiresInDays: null });
  expect(lasting.expiresAt).toBeNull();
});

test("only the hash of the secret is kept, and the audit row has no token", async () => {
  const { token, id } = await createApiKey(ours.ctx, { name: "hashed" });
  const secret = token.split("_")[2]!.slice(0, 43);
  const rows = await world.sql("SELECT * FROM api_key WHERE id = $1", [id]);
  const audit = await world.sql("SELECT * FROM audit_entry WHERE entity_id = $1", [id]);
  expect(audit).toHaveLength(1);
  expect(JSON.stringify([rows, audit])).not.toContain(secret);
  expect((rows[0] as { hash: Buffer }).hash).toHaveLength(32);
});

test("a revoked, an expired and a foreign secret are refused alike", async () => {
  const revoked = await createApiKey(ours.ctx, { name: "revoked" });
  await revokeApiKey(ours.ctx, { keyId: revoked.id });
  const expired = await createApiKey(ours.ctx, { name: "expired" });
  await world.sql("UPDATE api_key SET expires_at = now() WHERE id = $1", [expired.id]);
  const changed = await createApiKey(ours.ctx, { name: "changed" });
  await world.sql("UPDATE api_key SET hash = sha256('x') WHERE id = $1", [changed.id]);
  const deleted = await createApiKey(ours.ctx, { name: "deleted" });
  await world.sql("DELETE FROM api_key WHERE id = $1", [deleted.id]);
  const tokens = [revoked, expired, changed, deleted].map(({ token }) => token);
  const messages = await Promise.all(
    [...tokens, "bth_x", ""].map((token) =>
      authenticateBearer(token).then(
        () => "accepted",
        (error) => `${error.code} ${error.message}`,
      ),
    ),
  );
  expect(new Set(messages).size).toBe(1);
  expect(messages[0]).toMatch(/^unauthenticated /);
});

test("use is recorded", async () => {
  const { token, id } = await createApiKey(ours.ctx, { name: "used" });
  await authenticateBearer(token);
  const listed = (await listApiKeys(ours.ctx, {})).find((key) => key.id === id);
  expect(listed?.lastUsedAt).toBeInstanceOf(Date);
  expect(listed).not.toHaveProperty("hash");
});

test("a rotated key keeps its service account", async () => {
  const first = await createApiKey(ours.ctx, { name: "rotating" });
  const { serviceAccountId } = first;
  const second = await createApiKey(ours.ctx, { name: "rotated", serviceAccountId });
  expect((await authenticateBearer(second.token)).serviceAccountId).toBe(serviceAccountId);
  const accounts = (await listServiceAccounts(ours.ctx, {})).map(({ name }) => name);
  expect(accounts).toContain("rotating");
  expect(accounts).not.toContain("rotated");
});

test("nobody gives what they lack, nor for another org's agent or account", async () => {
  const poor = { ...ours.ctx, permissions: new Set(["keys:manage" as const]) };
  await expect(
    createApiKey(poor, { name: "n", permissions: ["secrets:write"] }),
  ).rejects.toMatchObject({ code: "forbidden" });
  const foreign = await createApiKey(theirs.ctx, { name: "foreign" });
  const { serviceAccountId } = foreign;
  for (const input of [{ agentId: theirs.agentId }, { serviceAccountId }]) {
    await expect(createApiKey(ours.ctx, { name: "n", ...input })).rejects.toMatchObject({
      code: "not_found",
    });
  }
  await expect(revokeApiKey(ours.ctx, { keyId: foreign.id })).rejects.toMatchObject({
    code: "not_found",
  });
  expect((await authenticateBearer(foreign.token)).orgId).toBe(theirs.orgId);
});

test("a key for one agent may not manage the org", async () => {
  const key = await createApiKey(ours.ctx, {
    name: "one",
    agentId: ours.agentId,
    permissions: ["keys:manage", "agents:read"],
  });
  const ctx = await ctxForCaller(await authenticateBearer(key.token), ours.orgId, origin);
  expect(ctx.onlyAgentId).toBe(ours.agentId);
  await expect(listApiKeys(ctx, {})).rejects.toMatchObject({ code: "forbidden" });
});
