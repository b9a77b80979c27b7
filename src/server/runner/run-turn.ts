import type { NewEvent } from "../../protocol/event";
import { AppError } from "../platform/errors";
import { NO_SECRETS } from "../sessions";
import { type Claim, finishTurn } from "../turns";
import { offerTools } from "./offer-tools";
import type { AgentRef, RunnerPorts } from "./ports";
import { type AgentEnd, runAgent } from "./run-agent";
import { parkTurn } from "./step-writes";
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
  const abort = (reason: unknown) => inner.abort(reason);
  const owner = { ...claim, redactor: agent?.redactor ?? NO_SECRETS };
  const log = new TurnLog(owner, ports.deltas, () => abort(new TurnFenced()));
  try {
    if (!agent) throw new TurnError("version_missing", "The agent's version does not exist.");
    const signal = AbortSignal.any([stop, inner.signal]);
    const turn = contextOf({ claim, ref, agent, ports, log, signal, abort });
    await runToEnd(turn);
  } catch (error) {
    const cause = causeOf(error, [stop, inner.signal]);
    if (cause instanceof TurnFenced) return;
    if (!(cause instanceof TurnError)) throw error;
    await fail(log, claim, cause);
  } finally {
    log.close();
  }
}

async function runToEnd(turn: TurnContext): Promise<void> {
  const begun = performance.now() - turn.claim.wallMs;
  const { manifest } = turn.agent;
  if (manifest.tools.length > 0) turn.ports.prefetch(turn.ref);
  try {
    const end = await withinWallTime(turn, () => runAgent(turn, offerTools(manifest)));
    if (end.parked) await parkTurn(turn.log);
    else await complete(turn, end, begun);
  } finally {
    await turn.workspace.close();
  }
}

/** Why the turn ended: whatever aborted it counts more than the error that followed from that. */
function causeOf(error: unknown, signals: readonly AbortSignal[]): unknown {
  const reasons = [...signals.map(({ reason }) => toTurnEnd(reason)), toTurnEnd(error)];
  return reasons.find((end) => end !== undefined) ?? error;
}

function toTurnEnd(error: unknown): TurnFenced | TurnError | undefined {
  if (error instanceof TurnFenced || error instanceof TurnError) return error;
  return error instanceof AppError && error.code === "workspace_unavailable"
    ? new TurnError("workspace_unavailable", error.message, { cause: error })
    : undefined;
}

/** All attempts of a turn share its wall time; what it waits for people does not count. */
async function withinWallTime<T>(
  { agent, claim, abort }: TurnContext,
  run: () => Promise<T>,
): Promise<T> {
  const { wallMs } = agent.manifest.limits;
  const over = new TurnError("turn_timeout", `The turn took longer than ${wallMs} ms.`);
  const timer = setTimeout(() => abort(over), Math.max(0, wallMs - claim.wallMs));
  try {
    return await run();
  } finally {
    clearTimeout(timer);
  }
}

type Parts = Omit<TurnContext, "session" | "workspace" | "activity" | "resumed">;

function contextOf(parts: Parts): TurnContext {
  const { claim, ref, agent, ports, signal } = parts;
  return {
    ...parts,
    workspace: ports.workspace(ref, claim, agent.manifest),
    session: {
      id: claim.sessionId,
      channel: claim.channel,
      mode: claim.mode,
      auth: { principal: claim.principal },
      dryRun: claim.dryRun,
      ...(claim.asOf === null ? {} : { asOf: claim.asOf.toISOString() }),
    },
    activity: new TurnActivity(claim.turnId, signal),
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
