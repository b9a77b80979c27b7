import type { Usage } from "./event";

/** One piece of what an agent did in a turn. `index` is the event that began it. */
export type Block = TextBlock | CallBlock | NoteBlock | ArtifactBlock;

export interface TextBlock {
  kind: "text" | "reasoning";
  key: string;
  index: number;
  step: number;
  text: string;
  /** Deltas may still follow; the completed event replaces the text. */
  done: boolean;
  at: string;
  endedAt?: string | undefined;
  parentCallId?: string | undefined;
}

export type CallState = "running" | "waiting" | "denied" | "ok" | "error" | "stopped";

export interface CallBlock {
  kind: "call";
  key: string;
  index: number;
  callId: string;
  toolName: string;
  input: unknown;
  state: CallState;
  at: string;
  result?: unknown;
  durationMs?: number | undefined;
  stubbed?: boolean | undefined;
  retries: readonly { attempt: number; error: string }[];
  expiresAt?: string | undefined;
  decision?: { by: string; decision: "approve" | "deny"; reason?: string | undefined } | undefined;
  subagent?: { name: string; prompt: string; status?: string; text?: string } | undefined;
  parentCallId?: string | undefined;
}

export interface NoteBlock {
  kind: "note";
  key: string;
  index: number;
  text: string;
  parentCallId?: undefined;
}

export interface ArtifactBlock {
  kind: "artifact";
  key: string;
  index: number;
  artifactId: string;
  /** The artifact's own kind, such as `report`. */
  artifactKind: string;
  title: string;
  parentCallId?: undefined;
}

export interface MessageItem {
  kind: "message";
  key: string;
  index: number;
  at: string;
  text: string;
  principal: string;
  /** The turn that took the message, once one did. */
  turnId?: string | undefined;
}

export type TurnStatus = "queued" | "running" | "finished" | "failed" | "cancelled";

export interface TurnItem {
  kind: "turn";
  key: string;
  index: number;
  at: string;
  status: TurnStatus;
  attempt: number;
  blocks: readonly Block[];
  position?: number | undefined;
  startedAt?: string | undefined;
  endedAt?: string | undefined;
  model?: string | undefined;
  version?: number | undefined;
  text?: string | undefined;
  usage?: Usage | undefined;
  costUsd?: number | undefined;
  durationMs?: number | undefined;
  error?: { code: string; message: string } | undefined;
}

export type TranscriptItem = MessageItem | TurnItem;
export type SessionStatus = "new" | "queued" | "running" | "waiting" | "completed" | "failed";

/** What a session's log says, folded for reading. Values are never changed in place. */
export interface Transcript {
  status: SessionStatus;
  items: readonly TranscriptItem[];
  /** The first index that is not part of this transcript yet: where a stream resumes. */
  nextIndex: number;
  channel?: string | undefined;
  title?: string | undefined;
  principal?: string | undefined;
  error?: { code: string; message: string } | undefined;
  usage: Usage;
  costUsd?: number | undefined;
  turns: number;
  calls: number;
}

export const EMPTY_TRANSCRIPT: Transcript = {
  status: "new",
  items: [],
  nextIndex: 0,
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  turns: 0,
  calls: 0,
};
