import type { SessionEvent } from "../protocol/event";
import { type Trajectory, trajectoryOf } from "../protocol/trajectory";
import type { AgentApi, SentMessage } from "../sdk/client";
import type { Cli } from "./cli";
import { CliError, EXIT } from "./exit-code";
import { OpenCalls } from "./open-calls";
import type { TurnProgress } from "./turn-progress";

/** How long a stopped turn may take to say so. */
const STOP_GRACE_MS = 10_000;

interface FollowOptions {
  api: AgentApi;
  sent: SentMessage;
  /** First event that can belong to the message. */
  startIndex: number;
  /** Stops the turn after so many milliseconds. */
  timeoutMs?: number | undefined;
  progress: TurnProgress;
  /** Goes on while the turn waits for a person. */
  wait: boolean;
}

export type Ending = "itself" | "timeout" | "interrupt";

const ENDS = new Set(["turn.completed", "turn.failed"]);

/** The turn that took the message: the answer's, or the one it was delivered to. */
function turnOf(event: SessionEvent, { messageId, turnId }: SentMessage): string | null {
  const delivered = event.type === "message.delivered" || event.type === "turn.started";
  return delivered && event.data.messageIds.includes(messageId) ? event.data.turnId : turnId;
}

/** Stops the turn at Ctrl-C and after `timeoutMs`; a second Ctrl-C gives up waiting for it. */
function stopper(cli: Cli, { api, sent, timeoutMs }: FollowOptions) {
  const abort = new AbortController();
  const state: { ending: Ending; abort: AbortController } = { ending: "itself", abort };
  let grace: NodeJS.Timeout | undefined;
  const stop = (ending: Ending) => {
    if (state.ending !== "itself") return abort.abort();
    state.ending = ending;
    cli.output.note(ending === "timeout" ? "Timed out; stopping the turn …" : "Stopping …");
    grace = setTimeout(() => abort.abort(), STOP_GRACE_MS);
    const turn = sent.turnId === null ? {} : { turnId: sent.turnId };
    api.stop(sent.sessionId, turn).catch(() => abort.abort());
  };
  const offInterrupt = cli.io.onInterrupt(() => stop("interrupt"));
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => stop("timeout"), timeoutMs);
  const release = () => {
    offInterrupt();
    clearTimeout(timer);
    clearTimeout(grace);
  };
  return { state, release };
}

async function collect(
  { api, sent, startIndex, progress, wait }: FollowOptions,
  signal: AbortSignal,
  onReconnect: (reason: string) => void,
): Promise<Trajectory> {
  const events: SessionEvent[] = [];
  const calls = new OpenCalls();
  let turnId = sent.turnId;
  for await (const event of api.events(sent.sessionId, { startIndex, signal, onReconnect })) {
    turnId = turnOf(event, { ...sent, turnId });
    events.push(event);
    if (event.turnId !== turnId) continue;
    progress.show(event);
    calls.apply(event);
    if (ENDS.has(event.type) || (!wait && calls.waiting().length > 0)) break;
  }
  return trajectoryOf(events, { sessionId: sent.sessionId, turnId: turnId ?? "" });
}

/**
 * Follows the turn of a message to its end, or until it waits for a person.
 * @throws CliError when the stop was not confirmed in time
 */
export async function followTurn(
  cli: Cli,
  options: FollowOptions,
): Promise<{ trajectory: Trajectory; ending: Ending }> {
  const { state, release } = stopper(cli, options);
  const onReconnect = (reason: string) =>
    cli.output.progress(`The stream broke off (${reason}); going on …`);
  try {
    const trajectory = await collect(options, state.abort.signal, onReconnect);
    return { trajectory, ending: state.ending };
  } catch (error) {
    if (!state.abort.signal.aborted) throw error;
    const timedOut = state.ending === "timeout";
    throw new CliError("not_stopped", "The turn did not confirm that it stopped.", {
      exitCode: timedOut ? EXIT.timeout : EXIT.interrupted,
    });
  } finally {
    release();
  }
}
