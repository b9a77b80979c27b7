import type { NewEvent } from "../../protocol/event";
import { ModelNotConfigured, type ResolvedModel, resolveModel } from "../models";
import { buildMessages } from "./build-messages";
import { DEFAULT_TIMING } from "./model-timing";
import { readConversation, type StoredStep, type StoredTurn } from "./read-conversation";
import { runCall } from "./run-call";
import { type RanStep, runStep, stepCompleted } from "./run-step";
import { completeStep } from "./step-writes";
import type { TurnContext } from "./turn-context";
import { TurnError } from "./turn-error";
import { turnInstructions } from "./turn-instructions";
import { turnTotals } from "./turn-totals";

/** Writes what closes the step before, with the events that open the next. */
type Close = (opening: NewEvent[]) => Promise<void>;

/**
 * Runs a turn from wherever an earlier attempt left it until the model asks for nothing more.
 * @returns the final text and the turn's own steps. @throws TurnError, TurnFenced.
 */
export async function runTurnSteps(
  turn: TurnContext,
): Promise<{ text: string; steps: readonly StoredStep[] }> {
  const { model, started } = modelOf(turn);
  const open: Close = (events) => turn.log.append([started, ...events]);
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
  for (const step of own.steps) for (const call of step.calls) turn.resumed.add(call.callId);
  return loop({ turn, history, own, instructions, model: model.value, open });
}

interface Loop {
  turn: TurnContext;
  history: StoredTurn[];
  own: StoredTurn;
  instructions: string;
  model: ResolvedModel;
  open: Close;
}

async function loop({ turn, history, own, instructions, model, open }: Loop) {
  let close = open;
  const last = own.steps.at(-1);
  if (last) {
    await open([]);
    if (last.calls.length === 0) return { text: textOf(last), steps: own.steps };
    close = last.finished ? (events) => turn.log.append(events) : await runCalls(turn, last);
  }
  for (let step = own.steps.length; ; step++) {
    const over = overLimit(turn, own.steps);
    if (over) {
      await close([]);
      throw over;
    }
    const ready = close([{ type: "step.started", data: { step } }]);
    ready.catch(() => undefined); // awaited where the step needs it
    const messages = buildMessages(history, model.provider);
    const timing = turn.ports.timing ?? DEFAULT_TIMING;
    const request = { model, instructions, messages, tools: turn.tools, timing };
    const ran: RanStep = await runStep(turn, request, step, ready);
    own.steps.push(ran);
    if (ran.calls.length === 0) return { text: ran.said, steps: own.steps };
    close = await runCalls(turn, ran, ran.startedMs);
  }
}

/** Runs what a step asked for, side by side. @returns what closes the step. */
async function runCalls(
  turn: TurnContext,
  step: StoredStep,
  startedMs = performance.now(),
): Promise<Close> {
  const settled = await Promise.allSettled(step.calls.map((call) => runCall(turn, call)));
  const failed = settled.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
  const callIds = step.calls.map((call) => call.callId);
  return async (opening) => {
    await completeStep(turn.log, step.step, [
      { type: "actions.completed", data: { callIds } },
      stepCompleted(step.step, startedMs),
      ...opening,
    ]);
  };
}

function overLimit({ agent }: TurnContext, steps: readonly StoredStep[]): TurnError | undefined {
  const { limits } = agent.manifest;
  if (steps.length >= limits.steps) {
    return new TurnError("step_limit", `The turn reached its limit of ${limits.steps} steps.`);
  }
  const { usage } = turnTotals(steps);
  const { tokens } = limits;
  if (tokens !== undefined && usage.inputTokens + usage.outputTokens >= tokens) {
    return new TurnError("token_limit", `The turn reached its limit of ${tokens} tokens.`);
  }
  return undefined;
}

function ownTurn(history: StoredTurn[], turnId: string): StoredTurn {
  const found = history.find((turn) => turn.turnId === turnId);
  if (found) return found;
  throw new Error(`turn ${turnId} has no message`);
}

const textOf = (step: StoredStep): string =>
  step.messages
    .flatMap(({ role, content }) => {
      if (role !== "assistant") return [];
      if (typeof content === "string") return [content];
      return content.map((part) => (part.type === "text" ? part.text : ""));
    })
    .join("");

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

function resolved(resolve: () => ResolvedModel): Outcome {
  try {
    return { ok: true, value: resolve() };
  } catch (error) {
    if (!(error instanceof ModelNotConfigured)) throw error;
    return { ok: false, error: new TurnError("model_not_configured", error.message) };
  }
}
