import { expect, test } from "vitest";
import { answeringFetch, ndjson } from "../../tests/support/answering-fetch";
import { callCli } from "../../tests/support/cli-io";

const env = { BERTH_URL: "http://berth.test", BERTH_TOKEN: "bth_a_b", BERTH_ORG: "acme" };
const ofAgent = { ...env, BERTH_URL: "http://berth.test/acme/deployer" };
const approval = {
  callId: "call_1",
  agent: "deployer",
  toolName: "promote",
  input: { to: "production", note: "x".repeat(80) },
  decision: "pending",
  expiresAt: "2026-01-08T00:00:00.000Z",
};

const listing = () =>
  answeringFetch(() => Response.json({ ok: true, approvals: [approval], nextCursor: null }));

test("approvals alone lists those of the agent that is named, else those of the org", async () => {
  const { fetch, seen } = listing();
  const { exitCode, stdout } = await callCli(["approvals"], { env, fetch, cwd: "/" });
  expect(exitCode).toBe(0);
  expect(seen.at(-1)!.path).toBe("/api/v1/orgs/acme/approvals");
  expect(stdout).toContain("call_1  deployer  promote  waits");
  expect(stdout).not.toContain("x".repeat(70));
  await callCli(["approvals", "list", "--status", "pending"], { env: ofAgent, fetch, cwd: "/" });
  expect(seen.at(-1)!.path).toBe("/api/v1/orgs/acme/agents/deployer/approvals");
  expect(seen.at(-1)!.query.get("status")).toBe("pending");
  const wrong = await callCli(["approvals", "list", "--status", "no"], { env, fetch, cwd: "/" });
  expect(wrong.exitCode).toBe(2);
});

test("approve and deny send the decision and say what was decided", async () => {
  const decided = { ok: true, callId: "call_1", sessionId: "ses_1", toolName: "promote" };
  const { fetch, seen } = answeringFetch(() => Response.json(decided));
  const args = ["approvals", "deny", "call_1", "--reason", "not on a Friday"];
  const { exitCode, stderr } = await callCli(args, { env, fetch, cwd: "/" });
  expect(exitCode).toBe(0);
  expect(stderr).toContain("Denied promote in ses_1.");
  expect(seen.at(-1)).toMatchObject({
    method: "POST",
    path: "/api/v1/orgs/acme/approvals/call_1",
    body: JSON.stringify({ decision: "deny", reason: "not on a Friday" }),
  });
  await callCli(["approvals", "approve", "call_1", "--json"], { env: ofAgent, fetch, cwd: "/" });
  expect(seen.at(-1)).toMatchObject({
    path: "/api/v1/orgs/acme/agents/deployer/approvals/call_1",
    body: JSON.stringify({ decision: "approve" }),
  });
});

test.each([
  [409, "approval_already_resolved", 6],
  [403, "forbidden", 4],
  [404, "not_found", 5],
])("a decision that is refused with %i ends with its exit code", async (status, code, exitCode) => {
  const { fetch } = answeringFetch(() => Response.json({ code, detail: "No." }, { status }));
  const result = await callCli(["approvals", "approve", "call_1"], { env, fetch, cwd: "/" });
  expect(result.exitCode).toBe(exitCode);
  expect(result.stderr).toContain(code);
});

const event = (index: number, type: string, data: object) => ({
  ...{ index, type, turnId: "trn_1", sessionId: "ses_1", at: "2026-01-01T00:00:00Z", data },
});
const call = (callId: string, parentCallId?: string) => ({
  ...{ callId, toolName: "promote", input: {} },
  ...(parentCallId ? { parentCallId } : {}),
});
const asked = (index: number, callId: string) =>
  event(index, "action.approval_requested", {
    ...{ callId, toolName: "promote", input: {}, expiresAt: "2026-01-08T00:00:00Z" },
  });
const result = (index: number, callId: string) =>
  event(index, "action.result", {
    ...{ callId, toolName: "promote", isError: false, result: 1, durationMs: 1 },
  });
const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
const done = (index: number) =>
  event(index, "turn.completed", { status: "finished", text: "Done.", usage, durationMs: 1 });

/** A server whose turn has these events. */
function turnServer(events: object[]) {
  return answeringFetch(({ method }) => {
    if (method !== "POST") return ndjson(events);
    const sent = { sessionId: "ses_1", messageId: "msg_1", turnId: "trn_1" };
    return Response.json(sent, { status: 202 });
  });
}

const PARKED = [
  event(0, "actions.requested", { calls: [call("call_1"), call("call_2"), call("call_3")] }),
  asked(1, "call_1"),
  event(2, "actions.requested", { calls: [call("call_4", "call_2")] }),
  asked(3, "call_4"),
  result(4, "call_3"),
];

test("run shows what waits for a person and ends with 3, once nothing else goes on", async () => {
  const { fetch } = turnServer(PARKED);
  const { exitCode, stdout, stderr } = await callCli(["run", "go", "--json"], {
    env: ofAgent,
    fetch,
  });
  expect(exitCode).toBe(3);
  expect(stderr).toContain("promote waits for a person: call_1");
  expect(stderr).toContain("← promote ok"); // it had waited for the third call
  expect(stderr).toContain("berth approvals approve|deny CALL --org acme --agent deployer");
  expect(JSON.parse(stdout)).toMatchObject({ status: "waiting", turnId: "trn_1" });
});

test("run --wait goes on when somebody decides", async () => {
  const by = "user:usr_1";
  const decided = (index: number, callId: string, decision: string) =>
    event(index, "action.approval_resolved", { callId, decision, by, reason: "fine" });
  const { fetch } = turnServer([
    ...PARKED,
    decided(5, "call_1", "approve"),
    decided(6, "call_4", "deny"),
    ...["call_1", "call_4", "call_2"].map((callId, i) => result(7 + i, callId)),
    done(10),
  ]);
  const { exitCode, stdout, stderr } = await callCli(["run", "go", "--wait"], {
    env: ofAgent,
    fetch,
  });
  expect(exitCode).toBe(0);
  expect(stdout).toBe("Done.\n");
  expect(stderr).toContain("denied by user:usr_1: fine");
});
