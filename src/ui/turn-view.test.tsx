import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { NewEvent, SessionEvent } from "../protocol/event";
import { readTranscript } from "../protocol/read-transcript";
import { TurnView } from "./turn-view";

const log = (events: NewEvent[]): SessionEvent[] =>
  events.map((event, index) => ({
    ...({ index, sessionId: "ses_1", turnId: "trn_1", at: "2026-01-01T00:00:00Z" } as const),
    ...(event as Pick<SessionEvent, "type" | "data">),
  })) as SessionEvent[];

const asked = (
  ...calls: [callId: string, toolName: string, parentCallId?: string][]
): NewEvent => ({
  type: "actions.requested",
  data: {
    calls: calls.map(([callId, toolName, parentCallId]) => ({
      ...{ callId, toolName, input: {} },
      ...(parentCallId === undefined ? {} : { parentCallId }),
    })),
  },
});
const called = (callId: string): NewEvent => ({
  type: "subagent.called",
  data: { callId, subagent: `helper-${callId}`, prompt: "help" },
});
const said = (text: string, parentCallId: string): NewEvent => ({
  type: "message.appended",
  data: { step: 0, blockId: `${parentCallId}.0`, delta: text, parentCallId },
});
const started: NewEvent = {
  type: "turn.started",
  data: { ...{ turnId: "trn_1", messageIds: [], model: "m" }, attempt: 1, version: 1 },
};

const shown = (events: NewEvent[]): string => {
  const turn = readTranscript(log([started, ...events])).items.find(({ kind }) => kind === "turn");
  if (turn?.kind !== "turn") throw new Error("there is no turn");
  return renderToStaticMarkup(createElement(TurnView, { turn }));
};

test("what subagents say and call at the same time stands below the call of each", () => {
  const html = shown([
    asked(["a", "task"], ["b", "task"]),
    ...[called("a"), called("b"), said("first ", "a"), said("second", "b"), said("third", "a")],
    asked(["c", "lookup-b", "b"]),
    asked(["d", "lookup-a", "a"]),
  ]);
  const order = ["helper-a", "first third", "lookup-a", "helper-b", "second", "lookup-b"];
  const places = order.map((text) => html.indexOf(text));
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((one, other) => one - other));
});

test("a call of a subagent that waits for a person is in sight", () => {
  const expiresAt = "2027-01-01T00:00:00Z";
  const html = shown([
    asked(["a", "task"]),
    called("a"),
    asked(["c", "publish", "a"]),
    {
      type: "action.approval_requested",
      data: { callId: "c", toolName: "publish", input: {}, expiresAt },
    },
  ]);
  expect(html).toContain("publish");
  expect(html).toContain("Waits for approval");
});
