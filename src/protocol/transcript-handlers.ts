import type { EventType, SessionEvent } from "./event";
import type { Block, CallBlock, Transcript, TurnItem } from "./transcript";
import { appendText, completeText, patchCall, patchTurn, requestCalls } from "./transcript-blocks";

type EventOf<T extends EventType> = Extract<SessionEvent, { type: T }>;
type Handlers = { [T in EventType]: (t: Transcript, event: EventOf<T>) => Transcript };

const note = (t: Transcript, event: SessionEvent, text: string): Transcript =>
  patchTurn(t, event, (turn) => {
    const block: Block = { kind: "note", key: `note:${event.index}`, index: event.index, text };
    return { ...turn, blocks: [...turn.blocks, block] };
  });

/** What a turn leaves open when it ends: no delta and no result will follow any more. */
const settle = (turn: TurnItem): readonly Block[] =>
  turn.blocks.map((block) => {
    if (block.kind === "call") {
      const open = block.state === "running" || block.state === "waiting";
      return open ? { ...block, state: "stopped" as const } : block;
    }
    return "done" in block && !block.done ? { ...block, done: true } : block;
  });

const startTurn = (t: Transcript, event: EventOf<"turn.started">): Transcript => {
  const { model, attempt, version } = event.data;
  const next = patchTurn({ ...t, status: "running" }, event, (turn) => ({
    ...turn,
    status: "running",
    startedAt: turn.startedAt ?? event.at,
    model,
    attempt,
    version,
    // A step that is run again says everything again: what it left unfinished goes.
    blocks: turn.blocks.filter((block) => !("done" in block) || block.done),
  }));
  return { ...next, turns: t.turns + (attempt > 1 ? 0 : 1) };
};

const completeTurn = (t: Transcript, event: EventOf<"turn.completed">): Transcript => {
  const { text, usage, costUsd, durationMs } = event.data;
  const next = patchTurn(t, event, (turn) => ({
    ...turn,
    ...{ status: "finished" as const, endedAt: event.at, text, usage, costUsd, durationMs },
    blocks: settle(turn),
  }));
  return {
    ...next,
    status: "waiting",
    usage: {
      inputTokens: t.usage.inputTokens + usage.inputTokens,
      outputTokens: t.usage.outputTokens + usage.outputTokens,
      cacheReadTokens: t.usage.cacheReadTokens + usage.cacheReadTokens,
      cacheWriteTokens: t.usage.cacheWriteTokens + usage.cacheWriteTokens,
    },
    costUsd: costUsd === undefined ? t.costUsd : (t.costUsd ?? 0) + costUsd,
  };
};

const failTurn = (t: Transcript, event: EventOf<"turn.failed">): Transcript => ({
  ...patchTurn(t, event, (turn) => ({
    ...turn,
    status: event.data.status,
    endedAt: event.at,
    error: event.data.error,
    blocks: settle(turn),
  })),
  status: "waiting",
});

const stateOf = ({ decision }: CallBlock, isError: boolean): CallBlock["state"] => {
  if (decision?.decision === "deny") return "denied";
  return isError ? "error" : "ok";
};

const finishCall = (t: Transcript, event: EventOf<"action.result">): Transcript => {
  const { toolName, isError, result, durationMs, stubbed, parentCallId } = event.data;
  return patchCall(t, event, { toolName, parentCallId }, (call) => ({
    ...call,
    state: stateOf(call, isError),
    result,
    durationMs,
    stubbed,
  }));
};

const resolveApproval = (t: Transcript, event: EventOf<"action.approval_resolved">): Transcript => {
  const { decision, by, reason } = event.data;
  const state: CallBlock["state"] = decision === "approve" ? "running" : "denied";
  return patchCall(t, event, {}, (call) => ({
    ...call,
    state,
    decision: { decision, by, reason },
  }));
};

const tagArtifact = (t: Transcript, event: EventOf<"artifact.tagged">): Transcript =>
  patchTurn(t, event, (turn) => {
    const { artifactId, kind: artifactKind, title, key } = event.data;
    const block: Block = {
      kind: "artifact",
      key: `artifact:${artifactId}`,
      index: event.index,
      artifactId,
      artifactKind,
      title: title ?? key,
    };
    return { ...turn, blocks: [...turn.blocks, block] };
  });

/** Nothing else ends a direct call; a turn goes on with its next step. */
const completeCalls = (t: Transcript, event: EventOf<"actions.completed">): Transcript =>
  patchTurn(t, event, (turn) =>
    turn.status === "running" && turn.startedAt === undefined
      ? { ...turn, status: "finished", endedAt: event.at }
      : turn,
  );

const deliver = (t: Transcript, event: EventOf<"message.delivered">): Transcript => {
  const ids = new Set(event.data.messageIds);
  return {
    ...t,
    items: t.items.map((item) =>
      item.kind === "message" && ids.has(item.key) ? { ...item, turnId: event.data.turnId } : item,
    ),
  };
};

/** One function per event type: a new type does not compile until it is read here. */
export const TRANSCRIPT_HANDLERS: Handlers = {
  "session.started": (t, { data }) => ({
    ...t,
    status: "waiting",
    channel: data.channel,
    title: data.title,
    principal: data.principal,
  }),
  "session.waiting": (t) => ({ ...t, status: "waiting" }),
  "session.completed": (t) => ({ ...t, status: "completed" }),
  "session.failed": (t, { data }) => ({ ...t, status: "failed", error: data.error }),
  "message.received": (t, { index, at, data }) => ({
    ...t,
    items: [
      ...t.items,
      {
        kind: "message",
        key: data.messageId,
        index,
        at,
        text: data.text,
        principal: data.principal,
      },
    ],
  }),
  "message.delivered": deliver,
  "turn.queued": (t, event) => ({
    ...patchTurn(t, event, (turn) => ({ ...turn, position: event.data.position })),
    status: t.status === "running" ? "running" : "queued",
  }),
  "turn.started": startTurn,
  "turn.completed": completeTurn,
  "turn.failed": failTurn,
  "step.started": (t) => t,
  "step.completed": (t) => t,
  "reasoning.appended": (t, event) => appendText(t, event, "reasoning"),
  "reasoning.completed": (t, event) => completeText(t, event, "reasoning"),
  "message.appended": (t, event) => appendText(t, event, "text"),
  "message.completed": (t, event) => completeText(t, event, "text"),
  "actions.requested": requestCalls,
  "action.result": finishCall,
  "actions.completed": completeCalls,
  "action.tool_retry": (t, event) =>
    patchCall(t, event, {}, (call) => ({
      ...call,
      state: "running",
      retries: [...call.retries, { attempt: event.data.attempt, error: event.data.error }],
    })),
  "action.approval_requested": (t, event) =>
    patchCall(t, event, { toolName: event.data.toolName, input: event.data.input }, (call) => ({
      ...call,
      state: "waiting",
      expiresAt: event.data.expiresAt,
    })),
  "action.approval_resolved": resolveApproval,
  "subagent.called": (t, event) =>
    patchCall(t, event, { toolName: event.data.subagent }, (call) => ({
      ...call,
      subagent: { name: event.data.subagent, prompt: event.data.prompt },
    })),
  "subagent.completed": (t, event) =>
    patchCall(t, event, {}, (call) => ({
      ...call,
      subagent: {
        name: call.subagent?.name ?? call.toolName,
        prompt: call.subagent?.prompt ?? "",
        status: event.data.status,
        text: event.data.text,
      },
    })),
  "artifact.tagged": tagArtifact,
  "context.compacted": (t, event) =>
    note(
      t,
      event,
      `Context compacted from ${event.data.beforeTokens} to ${event.data.afterTokens} tokens`,
    ),
};
