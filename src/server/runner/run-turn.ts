import type { NewEvent } from "../../protocol/event";
import { NO_SECRETS } from "../sessions";
import { type Claim, finishTurn } from "../turns";
import type { AgentRef, RunnerPorts } from "./ports";
import { type AgentEnd, runAgent } from "./run-agent";
import { parkTurn } from "./step-writes";
import { offerTools } from "./tool-set";
import { TurnActivity } from "./turn-activity";
import type { TurnContext } from "./turn-context";
import { TurnError, TurnFenced } from "./turn-error";
import { TurnLog } from "./turn-log";

/**
 * Runs one claimed turn to its end: `turn.completed` or `turn.failed` is in the log when this
 * resolves, or somebody else owns the turn. Rejects on faults of the platform itself: the lease
 * then runs out and another attempt follows.
 * @param stop aborts with TurnFenced as its reason when the turn is no longer this worker's.
 */
export async function runTurn(claim: Claim, ports: RunnerPorts, stop: AbortSignal): Promise<void> {
  const ref: AgentRef = { ...claim, version: claim.version ?? 0 };
  const agent = claim.version === null ? undefined : await ports.prepare(ref);
  const inner = new AbortController();
  const owner = { ...claim, redactor: agent?.redactor ?? NO_SECRETS };
  const log = new TurnLog(owner, ports.deltas, () => inner.abort(new TurnFenced()));
  try {
    if (!agent) throw new TurnError("version_missing", "The agent's version does not exist.");
    const signal = AbortSignal.any([stop, inner.signal]);
    const turn = contextOf({ claim, ref, agent, ports, log, signal });
    await runToEnd(turn, inner);
  } catch (error) {
    const cause = causeOf(error, [stop, inner.signal]);
    if (cause instanceof TurnFenced) return;
    if (!(cause instanceof TurnError)) throw error;
    await fail(log, claim, cause);
  } finally {
    log.close();
  }
}

async function runToEnd(turn: TurnContext, controller: AbortController): Promise<void> {
  const begun = performance.now() - turn.claim.wallMs;
  const tools = offerTools(turn.agent.manifest);
  if (tools.byName.size > 0) turn.ports.prefetch(turn.ref);
  const end = await withinWallTime(turn, controller, () => runAgent(turn, tools));
  if (end.parked) await parkTurn(turn.log);
  else await complete(turn, end, begun);
}

/** Why the turn ended: whatever aborted it counts more than the error that followed from that. */
const causeOf = (error: unknown, signals: readonly AbortSignal[]): unknown =>
  signals.find(({ reason }) => reason instanceof TurnFenced || reason instanceof TurnError)
    ?.reason ?? error;

/** All attempts of a turn share its wall time; what it waits for people does not count. */
async function withinWallTime<T>(
  { agent, claim }: TurnContext,
  controller: AbortController,
  run: () => Promise<T>,
): Promise<T> {
  const { wallMs } = agent.manifest.limits;
  const over = new TurnError("turn_timeout", `The turn took longer than ${wallMs} ms.`);
  const timer = setTimeout(() => controller.abort(over), Math.max(0, wallMs - claim.wallMs));
  try {
    return await run();
  } finally {
    clearTimeout(timer);
  }
}

type Parts = Pick<TurnContext, "claim" | "ref" | "agent" | "ports" | "log" | "signal">;

function contextOf(parts: Parts): TurnContext {
  const { claim } = parts;
  return {
    ...parts,
    session: {
      id: claim.sessionId,
      channel: claim.channel,
      mode: claim.mode,
      auth: { principal: claim.principal },
      dryRun: claim.dryRun,
      ...(claim.asOf === null ? {} : { asOf: claim.asOf.toISOString() }),
    },
    activity: new TurnActivity(claim.turnId, parts.signal),
    resumed: new Set(),
  };
}

async function complete(
  { claim, log }: TurnContext,
  { parked: _parked, text, ...totals }: Extract<AgentEnd, { parked: false }>,
  begun: number,
): Promise<void> {
  if (text === "") throw new TurnError("no_text", "The model ended without saying anything.");
  const durationMs = Math.round(performance.now() - begun);
  const task = claim.mode === "task";
  await finishTurn(log.owner, {
    status: "completed",
    events: [
      ...(await log.drain()),
      {
        type: "turn.completed",
        data: { status: "finished", text, ...totals, durationMs },
      },
    ],
    idle: task
      ? { type: "session.completed", data: { text } }
      : { type: "session.waiting", data: {} },
    idleStatus: task ? "completed" : "waiting",
  });
}

async function fail(log: TurnLog, claim: Claim, { code, message }: TurnError): Promise<void> {
  const error = { code, message };
  const task = claim.mode === "task";
  const failed: NewEvent = { type: "turn.failed", data: { status: "failed", error } };
  await finishTurn(log.owner, {
    status: "failed",
    error,
    events: [...(await log.drain()), failed],
    idle: task
      ? { type: "session.failed", data: { error } }
      : { type: "session.waiting", data: {} },
    idleStatus: task ? "failed" : "waiting",
  });
}
