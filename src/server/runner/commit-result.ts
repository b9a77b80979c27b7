import type { CommitOutcome } from "../../protocol/runtime-rpc";
import { SandboxError } from "../sandbox";
import type { StoredCommit } from "./read-conversation";
import { revisionRequest } from "./revision-request";
import { finishCommit, startCommit } from "./step-writes";
import type { Thread } from "./thread";
import { TurnError } from "./turn-error";

const TIMEOUT_MS = 60_000;
/** How often a model may be asked to say it again. */
const MAX_REVISIONS = 3;

/**
 * Has the project's result.ts accept the turn's final text, once for each text: an attempt that
 * takes over reads what was said, and never repeats a commit that may have happened.
 * @returns false when the text is rejected and the request for a revision is in the conversation
 * @throws TurnError `result_rejected`, TurnFenced
 */
export async function commitResult({ turn, own }: Thread, text: string): Promise<boolean> {
  const step = own.steps.length - 1;
  const known = own.commits.find((commit) => commit.step === step);
  if (known) return judge(own.commits, known);
  const commit: StoredCommit = { step, outcome: null, message: "" };
  await startCommit(turn.log, step);
  own.commits.push(commit);
  const { outcome, message } = await ask(turn, text);
  Object.assign(commit, { outcome, message });
  await finishCommit(turn.log, { step, outcome, message });
  if (outcome === "rejected") own.messages.push(revisionRequest(step, message));
  return judge(own.commits, commit);
}

function judge(commits: readonly StoredCommit[], { outcome, message }: StoredCommit): boolean {
  switch (outcome) {
    case "accepted":
      return true;
    case "rejected":
      if (commits.filter((commit) => commit.outcome === "rejected").length <= MAX_REVISIONS) {
        return false;
      }
      throw rejected(`it was rejected after ${MAX_REVISIONS} revisions: ${message}`);
    case "failed":
      throw rejected(message);
    case null:
      throw rejected("its commit was interrupted; it may or may not have happened");
  }
}

const rejected = (reason: string): TurnError =>
  new TurnError("result_rejected", `The result was not accepted: ${reason}.`);

type Ended = { outcome: "accepted" | "rejected" | "failed"; message: string };

async function ask({ ports, ref, session, signal, agent }: Thread["turn"], text: string) {
  try {
    const call = { kind: "commit", text, session } as const;
    const answer = await ports.invoke(ref, call, { timeoutMs: TIMEOUT_MS, signal });
    return ended(agent.redactor.json(answer as CommitOutcome));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SandboxError)) throw error;
    // It may quote what the agent's process said.
    return { outcome: "failed", message: agent.redactor.text(error.message) } satisfies Ended;
  }
}

function ended(answer: CommitOutcome): Ended {
  if (answer.outcome === "accepted") return { outcome: "accepted", message: "" };
  const outcome = answer.outcome === "rejected" ? "rejected" : "failed";
  return { outcome, message: answer.message };
}
