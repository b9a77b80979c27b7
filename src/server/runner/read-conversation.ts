import type { ModelMessage } from "ai";
import type { Usage } from "../../protocol/event";
import type { JsonValue } from "../../protocol/json";
import { decodeJson, decodeText, decodeValue } from "../platform/json-safety";
import { platform } from "../platform/platform";

export interface StoredMessage {
  id: string;
  text: string;
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
}

interface Row {
  kind: "message" | "step" | "call";
  turn_id: string;
  id: string;
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
  const turn = turns.get(row.turn_id) ?? { turnId: row.turn_id, messages: [], steps: [] };
  turns.set(row.turn_id, turn);
  if (row.kind === "message") {
    turn.messages.push({ id: row.id, text: decodeText(row.body ?? "") });
  } else if (row.kind === "step") {
    turn.steps.push(toStep(row));
  } else {
    turn.steps.find((step) => step.step === row.step)?.calls.push(toCall(row));
  }
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
    "toolName" | "input" | "attempt" | "started" | "finished"
  >),
  callId: id,
  step,
  isError: about.isError === true,
  result: body === null ? null : (decodeJson(body) as JsonValue),
});
