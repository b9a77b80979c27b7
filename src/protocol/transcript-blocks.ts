import type { SessionEvent } from "./event";
import type { Block, CallBlock, TextBlock, Transcript, TurnItem } from "./transcript";

/** Changes the turn an event belongs to; an event outside any turn gets an item of its own. */
export function patchTurn(
  t: Transcript,
  event: SessionEvent,
  change: (turn: TurnItem) => TurnItem,
): Transcript {
  const at = findTurn(t, event);
  const found = t.items[at];
  if (found?.kind === "turn") return { ...t, items: t.items.with(at, change(found)) };
  const fresh: TurnItem = {
    kind: "turn",
    key: turnIdOf(event) ?? `event:${event.index}`,
    index: event.index,
    at: event.at,
    // A direct call belongs to no turn: nothing will start or end it.
    status: turnIdOf(event) ? "queued" : "finished",
    attempt: 1,
    blocks: [],
  };
  return { ...t, items: [...t.items, change(fresh)] };
}

const turnIdOf = (event: SessionEvent): string | undefined =>
  event.turnId ?? (event.type === "turn.started" ? event.data.turnId : undefined);

function findTurn(t: Transcript, event: SessionEvent): number {
  const turnId = turnIdOf(event);
  if (turnId !== undefined) return t.items.findLastIndex((item) => item.key === turnId);
  return "callId" in event.data ? findCallTurn(t, event.data.callId) : -1;
}

const findCallTurn = (t: Transcript, callId: string): number =>
  t.items.findLastIndex(
    (item) => item.kind === "turn" && item.blocks.some((block) => block.key === `call:${callId}`),
  );

interface TextPart {
  step: number;
  blockId: string;
  parentCallId?: string | undefined;
}

const textKey = (kind: string, part: TextPart): string =>
  `${kind}:${part.parentCallId ?? ""}:${part.step}:${part.blockId}`;

function putText(
  t: Transcript,
  event: SessionEvent & { data: TextPart },
  kind: TextBlock["kind"],
  change: (before: TextBlock | undefined) => Partial<TextBlock>,
): Transcript {
  const key = textKey(kind, event.data);
  const { step, parentCallId } = event.data;
  return patchTurn(t, event, (turn) => {
    const at = turn.blocks.findLastIndex((block) => block.key === key);
    const before = turn.blocks[at] as TextBlock | undefined;
    const fresh: TextBlock = {
      ...{ kind, key, index: event.index, step, text: "", done: false, at: event.at },
      parentCallId,
    };
    const block: TextBlock = { ...(before ?? fresh), ...change(before) };
    return { ...turn, blocks: before ? turn.blocks.with(at, block) : [...turn.blocks, block] };
  });
}

type Appended = Extract<SessionEvent, { type: "message.appended" | "reasoning.appended" }>;
type Completed = Extract<SessionEvent, { type: "message.completed" | "reasoning.completed" }>;

/** A delta at the end of its block. One for a completed block means that the step runs again. */
export const appendText = (t: Transcript, event: Appended, kind: TextBlock["kind"]): Transcript =>
  putText(t, event, kind, (before) =>
    before && !before.done
      ? { text: before.text + event.data.delta }
      : { text: event.data.delta, done: false, endedAt: undefined },
  );

/** The whole text of a block: it replaces what the deltas said. */
export const completeText = (
  t: Transcript,
  event: Completed,
  kind: TextBlock["kind"],
): Transcript => {
  if (event.data.text === "" && !hasText(t, event, kind)) return t;
  return putText(t, event, kind, () => ({ text: event.data.text, done: true, endedAt: event.at }));
};

function hasText(t: Transcript, event: Completed, kind: TextBlock["kind"]): boolean {
  const turn = t.items[findTurn(t, event)];
  const key = textKey(kind, event.data);
  return turn?.kind === "turn" && turn.blocks.some((block) => block.key === key);
}

interface NewCall {
  callId: string;
  toolName: string;
  input: unknown;
  parentCallId?: string | undefined;
}

const newCall = (event: SessionEvent, call: NewCall): CallBlock => ({
  kind: "call",
  key: `call:${call.callId}`,
  index: event.index,
  callId: call.callId,
  toolName: call.toolName,
  input: call.input,
  parentCallId: call.parentCallId,
  state: "running",
  at: event.at,
  retries: [],
});

type Requested = Extract<SessionEvent, { type: "actions.requested" }>;

/** Adds the calls a step asks for; a call that is known already stays as it is. */
export function requestCalls(t: Transcript, event: Requested): Transcript {
  let added = 0;
  const next = patchTurn(t, event, (turn) => {
    const known = new Set(turn.blocks.map((block) => block.key));
    const fresh = event.data.calls.filter((call) => !known.has(`call:${call.callId}`));
    added = fresh.length;
    // A turn that nothing started is a direct call in the session.
    const status = turn.status === "queued" ? "running" : turn.status;
    const blocks = [...turn.blocks, ...fresh.map((call) => newCall(event, call))];
    return { ...turn, status, blocks };
  });
  return { ...next, calls: t.calls + added };
}

/** Changes one call; a result whose request is not in the log still gets its card. */
export function patchCall(
  t: Transcript,
  event: SessionEvent & { data: { callId: string } },
  known: Partial<NewCall>,
  change: (call: CallBlock) => CallBlock,
): Transcript {
  const { callId } = event.data;
  return patchTurn(t, event, (turn) => {
    const at = turn.blocks.findLastIndex((block) => block.key === `call:${callId}`);
    const before = turn.blocks[at];
    if (before?.kind === "call") {
      return { ...turn, blocks: turn.blocks.with(at, change(before)) };
    }
    const fresh = newCall(event, { toolName: "call", input: undefined, ...known, callId });
    return { ...turn, blocks: [...turn.blocks, change(fresh)] satisfies readonly Block[] };
  });
}
