import type { NewEvent } from "../../protocol/event";
import { ModelNotConfigured, type ResolvedModel, resolveModel } from "../models";
import { commitResult } from "./commit-result";
import { allSteps, readConversation, type StoredTurn } from "./read-conversation";
import { runThread } from "./run-thread";
import { announceTurn } from "./step-writes";
import { systemPrompt } from "./system-prompt";
import type { OfferedTools, Thread, ThreadEnd } from "./thread";
import type { TurnContext } from "./turn-context";
import { TurnError } from "./turn-error";
import { turnInstructions } from "./turn-instructions";
import { type TurnTotals, turnTotals } from "./turn-totals";

/** How the turn stopped, and what all its threads used. */
export type AgentEnd = ({ parked: false; text: string } & TurnTotals) | { parked: true };

/**
 * Runs the agent itself: announces the attempt, rebuilds its conversation and goes on from there.
 * @throws TurnError, TurnFenced.
 */
export async function runAgent(turn: TurnContext, tools: OfferedTools): Promise<AgentEnd> {
  const { model, started } = modelOf(turn);
  const open = (events: NewEvent[]) => announce(turn, started, events);
  if (!model.ok) {
    await open([]);
    throw model.error;
  }
  const [history, instructions] = await Promise.all([
    readConversation(turn.ref.orgId, turn.claim.sessionId),
    turnInstructions(turn),
  ]).catch(async (error) => {
    await open([]);
    throw error;
  });
  const own = ownTurn(history, turn.claim.turnId);
  for (const { calls } of allSteps(own)) {
    for (const { callId } of calls) turn.resumed.add(callId);
  }
  const thread: Thread = {
    ...{ turn, parentCallId: "", model: model.value, tools, history, own },
    fallbacks: fallbacksOf(turn),
    instructions: systemPrompt(instructions, tools),
  };
  const end = await runAccepted(thread, open);
  return end.parked ? end : { ...end, ...turnTotals(own) };
}

/** Runs the thread until the project's result.ts, if there is one, accepts what it says. */
async function runAccepted(
  thread: Thread,
  open: (events: NewEvent[]) => Promise<void>,
): Promise<ThreadEnd> {
  const { turn } = thread;
  let end = await runThread(thread, open);
  // A commit changes something outside, so that a dry run takes every text.
  const commits = turn.agent.manifest.result !== undefined && !turn.session.dryRun;
  const proceed = async (events: NewEvent[]) => {
    if (events.length > 0) await turn.log.append(events);
  };
  while (commits && !end.parked && end.text !== "" && !(await commitResult(thread, end.text))) {
    end = await runThread(thread, proceed);
  }
  return end;
}

/** A turn that comes back from waiting for people was announced before. */
async function announce(turn: TurnContext, started: NewEvent, events: NewEvent[]): Promise<void> {
  if (!turn.claim.announced) await announceTurn(turn.log, [started, ...events]);
  else if (events.length > 0) await turn.log.append(events);
}

function ownTurn(history: StoredTurn[], turnId: string): StoredTurn {
  const found = history.find((turn) => turn.turnId === turnId);
  if (found) return found;
  throw new Error(`turn ${turnId} has no message`);
}

type Outcome = { ok: true; value: ResolvedModel } | { ok: false; error: TurnError };

function modelOf({ agent, claim }: TurnContext): { model: Outcome; started: NewEvent } {
  const [setting] = agent.manifest.models;
  if (!setting) throw new Error("the manifest names no model");
  const model = resolved(() => resolveModel(setting, agent.models));
  const { turnId, messageIds, attempt } = claim;
  const label = model.ok ? model.value.label : setting.id;
  const version = claim.version ?? 0;
  return {
    model,
    started: { type: "turn.started", data: { turnId, messageIds, model: label, attempt, version } },
  };
}

/** The models after the first; those without a key cannot stand in. */
const fallbacksOf = ({ agent }: TurnContext): ResolvedModel[] =>
  agent.manifest.models.slice(1).flatMap((setting) => {
    const model = resolved(() => resolveModel(setting, agent.models));
    return model.ok ? [model.value] : [];
  });

function resolved(resolve: () => ResolvedModel): Outcome {
  try {
    return { ok: true, value: resolve() };
  } catch (error) {
    if (!(error instanceof ModelNotConfigured)) throw error;
    return { ok: false, error: new TurnError("model_not_configured", error.message) };
  }
}
