import type { ModelMessage } from "ai";
import type { Usage } from "../../protocol/event";
import type { JsonValue } from "../../protocol/json";
import { decodeJson, decodeText, decodeValue } from "../platform/json-safety";
import { platform } from "../platform/platform";
import { revisionRequest } from "./revision-request";

export interface StoredMessage {
  id: string;
  text: string;
  /** The step that is the first to see it: 0, or a later one for a message that joined the turn. */
  atStep: number;
}

export interface StoredCall {
  callId: string;
  step: number;
  toolName: string;
  input: JsonValue;
  attempt: number;
  started: boolean;
  finished: boolean;
  isError: boolean;
  result: JsonValue;
  artifactId: string | null;
  /** People were asked about it by this attempt of the turn. */
  asked?: boolean;
  /** One of them approved it, so it runs. */
  approved?: boolean;
}

export interface StoredStep {
  step: number;
  provider: string;
  model: string;
  sdk: number;
  messages: ModelMessage[];
  usage: Usage & { costUsd?: number };
  finished: boolean;
  calls: StoredCall[];
}

export interface StoredTurn {
  turnId: string;
  messages: StoredMessage[];
  steps: StoredStep[];
  /** Steps of subagents, by the `task` call that started each. */
  subagents: Map<string, StoredStep[]>;
  /** What result.ts said to the turn's texts. */
  commits: StoredCommit[];
  /** Summaries of the threads, by the `task` call of each; empty for the agent itself. */
  compactions: Map<string, StoredCompaction[]>;
}

/** `outcome` is null while a commit runs, and for ever when it was interrupted. */
export interface StoredCommit {
  step: number;
  outcome: "accepted" | "rejected" | "failed" | null;
  message: string;
}

/** A summary that was made before `step`, of everything before `fromStep`. */
export interface StoredCompaction {
  step: number;
  fromStep: number;
  summary: string;
  usage: StoredStep["usage"];
}

interface Row {
  kind: "message" | "step" | "call" | "commit" | "compaction";
  turn_id: string;
  id: string;
  parent: string;
  step: number;
  body: string | null;
  about: Record<string, unknown>;
}

/** A session's turns in the order of their messages, with everything they kept. */
export async function readConversation(orgId: string, sessionId: string): Promise<StoredTurn[]> {
  const { rows } = await platform().pool.query<Row>({
    name: "conversation",
    text: "SELECT * FROM berth_conversation($1, $2)",
    values: [orgId, sessionId],
  });
  const turns = new Map<string, StoredTurn>();
  for (const row of rows) addRow(turns, row);
  return [...turns.values()];
}

function addRow(turns: Map<string, StoredTurn>, row: Row): void {
  const turn = turns.get(row.turn_id) ?? emptyTurn(row.turn_id);
  turns.set(row.turn_id, turn);
  ADD[row.kind](turn, row);
}

const ADD: Record<Row["kind"], (turn: StoredTurn, row: Row) => void> = {
  message: ({ messages }, { id, body, step }) =>
    messages.push({ id, text: decodeText(body ?? ""), atStep: step }),
  step: (turn, row) => stepsOf(turn, row.parent).push(toStep(row)),
  call: (turn, row) =>
    stepsOf(turn, row.parent)
      .find(({ step }) => step === row.step)
      ?.calls.push(toCall(row)),
  commit: ({ commits, messages }, { step, body, about }) => {
    const { outcome } = about as Pick<StoredCommit, "outcome">;
    const message = decodeText(body ?? "");
    commits.push({ step, outcome, message });
    if (outcome === "rejected") messages.push(revisionRequest(step, message));
  },
  compaction: (turn, { parent, step, body, about }) =>
    compactionsOf(turn, parent).push({
      ...(about as Pick<StoredCompaction, "fromStep" | "usage">),
      step,
      summary: decodeText(body ?? ""),
    }),
};

export const emptyTurn = (turnId: string): StoredTurn => ({
  turnId,
  messages: [],
  steps: [],
  subagents: new Map(),
  commits: [],
  compactions: new Map(),
});

/** The steps of all threads of a turn. */
export const allSteps = (turn: StoredTurn): StoredStep[] => [
  ...turn.steps,
  ...[...turn.subagents.values()].flat(),
];

/** What was used for a turn: by the steps of all its threads, and by summing them up. */
export const usagesOf = (turn: StoredTurn): StoredStep["usage"][] => [
  ...allSteps(turn).map(({ usage }) => usage),
  ...[...turn.compactions.values()].flat().map(({ usage }) => usage),
];

/** The summaries of one thread of a turn; a change of the answered list is a change of the turn. */
export function compactionsOf(turn: StoredTurn, parentCallId: string): StoredCompaction[] {
  const known = turn.compactions.get(parentCallId) ?? [];
  turn.compactions.set(parentCallId, known);
  return known;
}

/** The steps of one thread of a turn; a change of the answered list is a change of the turn. */
export function stepsOf(turn: StoredTurn, parentCallId: string): StoredStep[] {
  if (parentCallId === "") return turn.steps;
  const steps = turn.subagents.get(parentCallId) ?? [];
  turn.subagents.set(parentCallId, steps);
  return steps;
}

const toStep = ({ step, body, about }: Row): StoredStep => ({
  ...(about as Pick<StoredStep, "provider" | "model" | "sdk" | "usage" | "finished">),
  step,
  messages: decodeJson(body ?? "[]") as ModelMessage[],
  calls: [],
});

const toCall = ({ id, step, body, about }: Row): StoredCall => ({
  ...(decodeValue(about) as Pick<
    StoredCall,
    "toolName" | "input" | "attempt" | "started" | "finished" | "artifactId"
  >),
  callId: id,
  step,
  isError: about.isError === true,
  result: body === null ? null : (decodeJson(body) as JsonValue),
});
