import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EventData, EventType, SessionEvent } from "./event";
import { applyEvent, readTranscript } from "./read-transcript";
import { type CallBlock, EMPTY_TRANSCRIPT, type TurnItem } from "./transcript";

const USAGE = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 2, cacheWriteTokens: 0 };

/** A log from (type, data, turn) rows: indexes from 0, one second between events. */
function log(...rows: [EventType, object, string?][]): SessionEvent[] {
  return rows.map(([type, data, turnId], index) => {
    const at = new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString();
    return { type, index, sessionId: "ses_1", turnId, at, data } as SessionEvent;
  });
}

const started = (turnId: string, attempt = 1): [EventType, object, string] => [
  "turn.started",
  { turnId, messageIds: ["m1"], model: "offline", attempt, version: 3 },
  turnId,
];
const completed = (turnId: string, text: string): [EventType, object, string] => [
  "turn.completed",
  {
    ...{ status: "finished", text, usage: USAGE, costUsd: 0.25, durationMs: 900 },
  } satisfies EventData<"turn.completed">,
  turnId,
];
const delta = (text: string, step = 0): [EventType, object, string] => [
  "message.appended",
  { step, blockId: "0", delta: text },
  "t1",
];

const CONVERSATION = log(
  ["session.started", { channel: "http", mode: "chat", principal: "user:usr_1", title: "Rain" }],
  ["message.received", { messageId: "m1", text: "Rain today?", principal: "user:usr_1" }],
  ["turn.queued", { position: 0 }, "t1"],
  started("t1"),
  ["reasoning.appended", { step: 0, blockId: "r", delta: "look " }, "t1"],
  ["reasoning.appended", { step: 0, blockId: "r", delta: "outside" }, "t1"],
  ["reasoning.completed", { step: 0, blockId: "r", text: "look outside" }, "t1"],
  [
    "actions.requested",
    { calls: [{ callId: "c1", toolName: "forecast", input: { city: "Kiel" } }] },
    "t1",
  ],
  [
    "action.result",
    { callId: "c1", toolName: "forecast", isError: false, result: { mm: 3 }, durationMs: 40 },
    "t1",
  ],
  ["actions.completed", { callIds: ["c1"] }, "t1"],
  delta("Yes, ", 1),
  delta("3 mm.", 1),
  ["message.completed", { step: 1, blockId: "0", text: "Yes, 3 mm.", finishReason: "stop" }, "t1"],
  completed("t1", "Yes, 3 mm."),
  ["session.waiting", {}],
);

const turnOf = (events: SessionEvent[]): TurnItem =>
  readTranscript(events).items.find((item) => item.kind === "turn")!;

describe("readTranscript", () => {
  it("folds a turn into its message, reasoning, call and answer, in order", () => {
    const transcript = readTranscript(CONVERSATION);
    expect(transcript).toMatchObject({ status: "waiting", title: "Rain", turns: 1, calls: 1 });
    expect(transcript.items.map((item) => item.kind)).toEqual(["message", "turn"]);
    const turn = turnOf(CONVERSATION);
    expect(turn.blocks.map((block) => block.kind)).toEqual(["reasoning", "call", "text"]);
    expect(turn).toMatchObject({ status: "finished", model: "offline", version: 3, attempt: 1 });
    expect(turn.blocks[1]).toMatchObject({ state: "ok", result: { mm: 3 }, durationMs: 40 });
  });

  it("adds up usage and cost of the turns that finished", () => {
    const twice = log(started("t1"), completed("t1", "a"), started("t2"), completed("t2", "b"));
    const { usage, costUsd, turns } = readTranscript(twice);
    expect(usage).toEqual({
      ...{ inputTokens: 20, outputTokens: 10, cacheReadTokens: 4, cacheWriteTokens: 0 },
    });
    expect([costUsd, turns]).toEqual([0.5, 2]);
  });

  it("lets the completed text replace what the deltas said", () => {
    const turn = turnOf(
      log(started("t1"), delta("my key is sk-1"), [
        "message.completed",
        { step: 0, blockId: "0", text: "my key is [secret:KEY]", finishReason: "stop" },
        "t1",
      ]),
    );
    expect(turn.blocks).toHaveLength(1);
    expect(turn.blocks[0]).toMatchObject({ text: "my key is [secret:KEY]", done: true });
  });

  it("drops the unfinished step's deltas when the next attempt starts", () => {
    const turn = turnOf(
      log(
        started("t1"),
        ["reasoning.completed", { step: 0, blockId: "r", text: "kept" }, "t1"],
        delta("half a sen", 1),
        started("t1", 2),
        delta("Whole ", 1),
        delta("sentence.", 1),
      ),
    );
    expect(turn.attempt).toBe(2);
    expect(turn.blocks.map((block) => "text" in block && block.text)).toEqual([
      "kept",
      "Whole sentence.",
    ]);
  });

  it("settles everything that is open when a turn is cancelled", () => {
    const events = log(
      started("t1"),
      ["actions.requested", { calls: [{ callId: "c", toolName: "slow", input: {} }] }, "t1"],
      delta("Let me", 1),
      ["turn.failed", { status: "cancelled", error: { code: "cancelled", message: "x" } }, "t1"],
    );
    const turn = turnOf(events);
    expect(turn.status).toBe("cancelled");
    expect(turn.blocks).toMatchObject([
      { kind: "call", state: "stopped" },
      { kind: "text", done: true },
    ]);
    expect(readTranscript(events).status).toBe("waiting");
  });

  it("keeps parallel calls of one tool apart, and nested ones under their parent", () => {
    const calls = [
      { callId: "a", toolName: "read", input: 1 },
      { callId: "b", toolName: "read", input: 2, parentCallId: "a" },
    ];
    const turn = turnOf(
      log(
        started("t1"),
        ["actions.requested", { calls }, "t1"],
        [
          "action.result",
          { callId: "b", toolName: "read", isError: true, result: "no", durationMs: 1 },
          "t1",
        ],
      ),
    );
    const [a, b] = turn.blocks as CallBlock[];
    expect([a!.state, b!.state, b!.parentCallId]).toEqual(["running", "error", "a"]);
  });

  it("shows an approval waiting, then its decision", () => {
    const request = { callId: "a", toolName: "pay", input: { eur: 5 }, expiresAt: "2026-01-02" };
    const rows: [EventType, object, string?][] = [
      started("t1"),
      ["actions.requested", { calls: [{ callId: "a", toolName: "pay", input: { eur: 5 } }] }, "t1"],
      ["action.approval_requested", request, "t1"],
    ];
    expect(turnOf(log(...rows)).blocks[0]).toMatchObject({ state: "waiting" });
    const denied = { callId: "a", decision: "deny", by: "user:usr_2", reason: "too much" };
    // Approvals are written from outside the turn, so the event may not name it.
    const turn = turnOf(log(...rows, ["action.approval_resolved", denied]));
    expect(turn.blocks[0]).toMatchObject({ state: "denied", decision: { reason: "too much" } });
    // What the model is told is an error result; the card still says that a person said no.
    const told = { callId: "a", toolName: "pay", isError: true, result: "Denied", durationMs: 1 };
    const decision: [EventType, object] = ["action.approval_resolved", denied];
    const after = turnOf(log(...rows, decision, ["action.result", told, "t1"]));
    expect(after.blocks[0]).toMatchObject({ state: "denied", result: "Denied" });
    const approved = { ...denied, decision: "approve" };
    const failed = turnOf(
      log(...rows, ["action.approval_resolved", approved], ["action.result", told, "t1"]),
    );
    expect(failed.blocks[0]).toMatchObject({ state: "error" });
  });

  it("shows an artifact where it was tagged, in its turn or on its own", () => {
    const data = { artifactId: "art_1", kind: "report", key: "weekly" };
    const tagged: [EventType, object, string] = ["artifact.tagged", data, "t1"];
    const turn = turnOf(log(started("t1"), tagged, completed("t1", "Done.")));
    expect(turn.blocks).toEqual([
      {
        ...{ kind: "artifact", key: "artifact:art_1", index: 1 },
        ...{ artifactId: "art_1", artifactKind: "report", title: "weekly" },
      },
    ]);
    const alone = turnOf(log(["artifact.tagged", { ...data, title: "Week" }]));
    expect(alone).toMatchObject({ status: "finished", blocks: [{ title: "Week" }] });
  });

  it("shows a direct call as a turn of its own that ends with it", () => {
    const calls = [{ callId: "a", toolName: "look", input: {} }];
    const rows: [EventType, object, string?][] = [["actions.requested", { calls }, "t1"]];
    expect(turnOf(log(...rows))).toMatchObject({ status: "running" });
    const data = { callId: "a", toolName: "look", isError: false, result: 1, durationMs: 1 };
    rows.push(["action.result", data, "t1"], ["actions.completed", { callIds: ["a"] }, "t1"]);
    const turn = turnOf(log(...rows));
    expect(turn).toMatchObject({ status: "finished", endedAt: expect.any(String) });
    expect(turn.blocks).toMatchObject([{ kind: "call", state: "ok", result: 1 }]);
    const model = turnOf(log(started("t1"), ...rows));
    expect(model).toMatchObject({ status: "running" });
  });

  it("gives the same transcript however often and however cut the log is read", () => {
    const whole = readTranscript(CONVERSATION);
    fc.assert(
      fc.property(fc.nat(CONVERSATION.length), fc.nat(CONVERSATION.length), (cut, back) => {
        const first = readTranscript(CONVERSATION.slice(0, cut));
        const resumed = readTranscript(CONVERSATION.slice(Math.max(0, cut - back)), first);
        expect(resumed).toEqual(whole);
      }),
    );
  });

  it("ignores an event that it has applied", () => {
    const first = CONVERSATION[0]!;
    const once = applyEvent(EMPTY_TRANSCRIPT, first);
    expect(applyEvent(once, first)).toBe(once);
  });
});
