import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { answerHostCall } from "../../../src/server/runner";
import { type SeededAgent, seedAgent } from "../../support/seed-agent";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

let berth: TestPlatform;
let stateDir: string;
let agent: SeededAgent;

beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "berth-storage-"));
  berth = await startTestPlatform({ BERTH_STATE_DIR: stateDir });
});
beforeEach(async () => {
  agent = await seedAgent(berth);
});
afterAll(async () => {
  await berth.stop();
  await rm(stateDir, { recursive: true, force: true });
});

const ask = (method: string, params: unknown, by = agent) =>
  answerHostCall({ method, params, ref: { orgId: by.orgId, agentId: by.agentId, version: 1 } });

test("a value comes back as it was put, with any characters in it", async () => {
  const value = {
    text: "nul \u0000 lone \ud800 mark \uE000",
    list: [1, null, { "k\u0000": true }],
  };
  await ask("kv.put", { key: "a\u0000b", value });
  expect(await ask("kv.get", { key: "a\u0000b" })).toEqual({ value, revision: "1" });
  expect(await ask("kv.list", { prefix: "a" })).toEqual({ keys: ["a\u0000b"] });
  expect(await ask("kv.delete", { key: "a\u0000b" })).toBeNull();
  expect(await ask("kv.get", { key: "a\u0000b" })).toBeNull();
});

test("of many swaps of one revision one succeeds", async () => {
  expect(await ask("kv.cas", { key: "n", value: 0, revision: null })).toEqual({ swapped: true });
  expect(await ask("kv.cas", { key: "n", value: 9, revision: null })).toEqual({ swapped: false });
  const swaps = await Promise.all(
    Array.from({ length: 10 }, (_, i) => ask("kv.cas", { key: "n", value: i, revision: "1" })),
  );
  expect(swaps.filter((swap) => (swap as { swapped: boolean }).swapped)).toHaveLength(1);
  expect(await ask("kv.get", { key: "n" })).toMatchObject({ revision: "2" });
});

test("a value of 1 MiB fits and a bigger one does not", async () => {
  const fits = "x".repeat(1024 * 1024 - 2);
  await ask("kv.put", { key: "big", value: fits });
  await expect(ask("kv.put", { key: "big", value: `${fits}x` })).rejects.toMatchObject({
    code: "body_too_large",
  });
});

test("another agent sees nothing of it, whatever its call says", async () => {
  await ask("kv.put", { key: "mine", value: 1 });
  const other = await seedAgent(berth);
  expect(
    await ask("kv.get", { key: "mine", orgId: agent.orgId, agentId: agent.agentId }, other),
  ).toBeNull();
});

test("files keep bytes", async () => {
  const bytes = Buffer.from([0, 255, 10, 13, 128]);
  await ask("files.put", { path: "reports/a.bin", base64: bytes.toString("base64") });
  expect(await ask("files.get", { path: "reports/a.bin" })).toEqual({
    base64: bytes.toString("base64"),
  });
  expect(await ask("files.list", { prefix: "reports/" })).toEqual({
    files: [{ path: "reports/a.bin", size: 5 }],
  });
  await ask("files.delete", { path: "reports/a.bin" });
  expect(await ask("files.get", { path: "reports/a.bin" })).toBeNull();
});

test("calls that are not the host's are refused", async () => {
  await expect(ask("constructor", {})).rejects.toMatchObject({ code: "not_available" });
  await expect(ask("kv.get", { key: 7 })).rejects.toMatchObject({ code: "invalid_request" });
  await expect(ask("kv.get", { key: "x".repeat(600) })).rejects.toMatchObject({
    code: "invalid_request",
  });
});
