import { expect, test } from "vitest";
import {
  type CallBlock,
  type CallState,
  EMPTY_TRANSCRIPT,
  type Transcript,
} from "../protocol/transcript";
import { shownStatus } from "./shown-status";

const call = (callId: string, state: CallState, parentCallId?: string): CallBlock => ({
  ...{ kind: "call", key: callId, index: 0, callId, toolName: "t", input: {}, state },
  ...{ at: "2026-01-01T00:00:00Z", retries: [], parentCallId },
});

const running = (...blocks: CallBlock[]): Transcript => ({
  ...EMPTY_TRANSCRIPT,
  status: "running",
  items: [
    {
      ...{ kind: "turn", key: "t1", index: 0, at: "2026-01-01T00:00:00Z", status: "running" },
      ...{ attempt: 1, blocks },
    },
  ],
});

test.each([
  ["nothing is open", running(call("a", "ok")), "running"],
  ["a call waits", running(call("a", "waiting"), call("b", "ok")), "parked"],
  ["another call runs", running(call("a", "waiting"), call("b", "running")), "running"],
  ["a subagent's call waits", running(call("a", "running"), call("b", "waiting", "a")), "parked"],
  ["a subagent thinks", running(call("a", "running"), call("b", "ok", "a")), "running"],
  ["nothing runs", { ...EMPTY_TRANSCRIPT, status: "waiting" } as const, "waiting"],
])("%s", (_name, transcript, status) => {
  expect(shownStatus(transcript)).toBe(status);
});
