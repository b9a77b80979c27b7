import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { ToolManifest } from "../../../src/protocol/manifest";
import { openBlob } from "../../../src/server/blobs";
import { claimTurns, createSession, sendMessage } from "../../../src/server/turns";
import { manifestWith, type SeededAgent, seedAgent } from "../../support/seed-agent";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

const MIB = 1024 * 1024;

let berth: TestPlatform;
let agent: SeededAgent;

beforeAll(async () => {
  berth = await startTestPlatform();
});
afterAll(() => berth.stop());
beforeEach(async () => {
  agent = await seedAgent(berth);
});

type Opening = Omit<Parameters<typeof createSession>[1], "agentId" | "message">;
const open = (opening: Opening) =>
  createSession(agent.ctx, { agentId: agent.agentId, message: "hi", ...opening });
const filesOf = async (messageId: string) =>
  (await berth.sql<{ files: unknown }>("SELECT files FROM message WHERE id = $1", [messageId]))[0]!
    .files as { path: string; sha256: string; size: number }[];
const sessions = async () =>
  (await berth.sql("SELECT 1 FROM session WHERE agent_id = $1", [agent.agentId])).length;

test("files come as a list or as a map, and are the session's blobs", async () => {
  const list = await open({
    workspaceFiles: [
      { path: "./notes/a.md", content: "é" },
      { path: "b.bin", contentBase64: "AAEC" },
      { path: "copy.md", content: "é" },
    ],
  });
  const kept = await filesOf(list.messageId);
  expect(kept.map(({ path, size }) => [path, size])).toEqual([
    ["notes/a.md", 2],
    ["b.bin", 3],
    ["copy.md", 2],
  ]);
  const blob = await openBlob(agent.orgId, kept[0]!.sha256, { holder: list.sessionId });
  expect(await text(blob.stream)).toBe("é");
  const map = await sendMessage(agent.ctx, {
    agentId: agent.agentId,
    sessionId: list.sessionId,
    message: "more",
    workspaceFiles: { "c/d.txt": "text" },
  });
  expect(await filesOf(map.messageId)).toMatchObject([{ path: "c/d.txt", size: 4 }]);
  expect(await filesOf((await open({})).messageId)).toBeNull();
});

test("a refused message keeps no file", async () => {
  const { sessionId } = await open({});
  const refused = sendMessage(agent.ctx, {
    agentId: agent.agentId,
    sessionId,
    message: "more",
    continuationToken: "http:old",
    workspaceFiles: { a: "b" },
  });
  await expect(refused).rejects.toMatchObject({ code: "stale_continuation_token" });
  expect(await berth.sql("SELECT 1 FROM blob WHERE holder = $1", [sessionId])).toEqual([]);
});

test("a hundred files and 12 MiB fit, and one more of either does not", async () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ path: `f${i}`, content: "" }));
  await open({ workspaceFiles: many(100) });
  await expect(open({ workspaceFiles: many(101) })).rejects.toMatchObject({
    code: "invalid_request",
  });
  const large = (bytes: number) => [{ path: "a", content: "x".repeat(bytes) }];
  await open({ workspaceFiles: large(12 * MIB) });
  await expect(open({ workspaceFiles: large(12 * MIB + 1) })).rejects.toMatchObject({
    code: "body_too_large",
    status: 413,
  });
});

test("a path of 1,024 bytes fits and a longer one does not", async () => {
  // Names of 255 bytes, as long as file systems take.
  const folders = `${"é".repeat(127)}a/`.repeat(3);
  await open({ workspaceFiles: { [`${folders}${"b".repeat(254)}/c`]: "" } });
  await expect(
    open({ workspaceFiles: { [`${folders}${"b".repeat(255)}/c`]: "" } }),
  ).rejects.toMatchObject({ code: "invalid_request" });
});

test.each([
  ["absolute", ["/etc/passwd"]],
  ["out of the workspace", ["a/../../b"]],
  ["above it", [".."]],
  ["a folder", ["a/"]],
  ["empty", [""]],
  ["itself", ["."]],
  ["with an empty part", ["a//b"]],
  ["with a backslash", ["..\\a"]],
  ["with a NUL", ["a\u0000b"]],
  ["that is no Unicode", ["a\ud800"]],
  ["there twice", ["a/b", "./a/b"]],
  ["a file and a folder", ["a/b/c", "a/b"]],
])("a path is refused that is %s", async (_name, paths) => {
  const workspaceFiles = paths.map((path) => ({ path, content: "x" }));
  await expect(open({ workspaceFiles })).rejects.toMatchObject({
    code: "invalid_request",
    details: { issues: [{ path: "workspaceFiles" }] },
  });
  expect(await sessions()).toBe(0);
});

test("a dry run and its instant reach the turn", async () => {
  const asOf = "2026-01-02T03:04:05+02:00";
  const { turnId } = await open({ dryRun: true, asOf });
  const claims = await claimTurns("w1", 1000);
  expect(claims.find((claim) => claim.turnId === turnId)).toMatchObject({
    dryRun: true,
    asOf: new Date(asOf),
  });
});

const tool = (timeArgs: string[], inputSchema?: ToolManifest["inputSchema"]): ToolManifest => ({
  name: "query",
  file: "bot/tools/query.ts",
  description: "query",
  execution: "server",
  effect: "read",
  needsApproval: "never",
  timeoutMs: 60_000,
  timeArgs,
  ...(inputSchema ? { inputSchema } : {}),
});
const bounds = { type: "object", properties: { since: {}, until: {} } };

test.each([
  ["an argument that the schema does not have", tool(["since", "untl"], bounds), "untl"],
  ["arguments without any schema", tool(["since"]), "since"],
])("a session with asOf does not start when a tool names %s", async (_name, wrong, argument) => {
  agent = await seedAgent(berth, manifestWith({ tools: [wrong] }));
  await expect(open({ asOf: "2026-01-01T00:00:00Z" })).rejects.toMatchObject({
    code: "invalid_time_args",
    status: 400,
    message: expect.stringMatching(new RegExp(`query.*${argument}`)),
    details: { tool: "query", argument },
  });
  expect(await sessions()).toBe(0);
  await open({});
});

test("a session with asOf starts when every time argument exists, and not ahead of time", async () => {
  agent = await seedAgent(berth, manifestWith({ tools: [tool(["since", "until"], bounds)] }));
  const now = berth.platform.clock.now().getTime();
  await open({ asOf: new Date(now).toISOString() });
  await expect(open({ asOf: new Date(now + 60_000).toISOString() })).rejects.toMatchObject({
    code: "invalid_request",
    details: { issues: [{ path: "asOf" }] },
  });
  await expect(open({ asOf: "yesterday" })).rejects.toMatchObject({ code: "invalid_request" });
  await expect(open({ asOf: "2026-01-01T00:00:00" })).rejects.toMatchObject({
    code: "invalid_request",
  });
});
