import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callCli } from "../../../tests/support/cli-io";

const line = (index: number, type: string, turnId: string | undefined, data: object) =>
  JSON.stringify({ index, type, turnId, sessionId: "ses_1", at: "2026-01-01T00:00:00Z", data });
const usage = { inputTokens: 7, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 };
const ended = (index: number, turnId: string, text: string) =>
  line(index, "turn.completed", turnId, { status: "finished", text, usage, durationMs: 9 });
const call = { callId: "c2", toolName: "look", input: { a: 1 }, parentCallId: "c1" };
const LOG = [
  line(0, "session.started", undefined, { channel: "http", mode: "chat", principal: "user:u" }),
  ended(1, "trn_1", "one"),
  "",
  line(2, "actions.requested", "trn_2", { calls: [call] }),
  line(3, "action.result", "trn_2", { ...call, isError: false, result: 5, durationMs: 3 }),
  ended(4, "trn_2", "two"),
  '{"type":"stream.end","reason":"tail"}',
].join("\n");

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "berth-trajectory-"));
  await writeFile(join(dir, "log.ndjson"), LOG);
  await writeFile(join(dir, "broken.ndjson"), `${LOG}\nnot json`);
});
afterAll(() => rm(dir, { recursive: true }));

test("a file of events becomes the JSON that run prints: the last turn, or the one that is named", async () => {
  const last = await callCli(["trajectory", "--events", join(dir, "log.ndjson")]);
  expect(last.exitCode).toBe(0);
  expect(JSON.parse(last.stdout)).toEqual({
    ...{ sessionId: "ses_1", turnId: "trn_2", status: "finished", reply: "two", usage },
    toolCalls: [{ ...call, result: 5, isError: false, durationMs: 3 }],
  });
  const named = ["trajectory", "--events", "-", "--turn", "trn_1"];
  const first = await callCli(named, { stdin: LOG });
  expect(JSON.parse(first.stdout)).toMatchObject({ turnId: "trn_1", reply: "one", toolCalls: [] });
});

test.each([
  ["neither a session nor a file", []],
  ["both", ["ses_1", "--events", "x"]],
  ["a file that is not there", ["--events", "none.ndjson"]],
  ["a file that is no log", ["--events", "broken.ndjson"]],
  ["a turn that is not in it", ["--events", "log.ndjson", "--turn", "trn_9"]],
])("%s is a mistake in the command", async (_name, args) => {
  const paths = args.map((arg) => (arg.endsWith(".ndjson") ? join(dir, arg) : arg));
  const { exitCode, stdout, stderr } = await callCli(["trajectory", ...paths]);
  expect([exitCode, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("error[usage]");
});
