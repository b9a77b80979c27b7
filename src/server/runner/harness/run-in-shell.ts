import type { ShellCall, ShellCallKind, ShellOutcome } from "../../../protocol/shell-rpc";
import { errorResult } from "../call-result";
import { type DoneCall, done, type Thread } from "../thread";

const TIMEOUT_MS = 60_000;
/** Time for a program that was stopped at its limit to say what it had printed. */
const GRACE_MS = 5_000;

type CallOf<Kind extends ShellCallKind> = Extract<ShellCall, { kind: Kind }>;
type AnswerOf<Kind extends ShellCallKind> = Extract<ShellOutcome, { kind: Kind }>;

/**
 * Runs a call in the session's shell, over its open workspace. What the shell refuses is a result
 * for the model to read. @throws SandboxError, TurnError `workspace_unavailable`
 */
export async function runInShell<Kind extends ShellCallKind>(
  { turn }: Thread,
  call: CallOf<Kind>,
  answered: (answer: AnswerOf<Kind>) => DoneCall["result"],
  timeoutMs = TIMEOUT_MS,
): Promise<DoneCall> {
  const { ports, ref, claim, signal, agent, workspace } = turn;
  await workspace.ready();
  const options = { timeoutMs: timeoutMs + GRACE_MS, signal };
  const outcome = await ports.shell(ref, claim.sessionId, call, options);
  // Before anything is cut, so that no half of a secret is left at an end.
  const shown = agent.redactor.json(outcome) as ShellOutcome;
  if (!shown.ok) return done(errorResult(shown.message));
  return done(answered(shown as AnswerOf<Kind>), shown.changed);
}
