import type { Usage } from "../../protocol/event";
import type { JsonValue } from "../../protocol/json";

/** A list answer: its items under their plural, and where the next page starts. */
export type Page<Plural extends string, Item> = { [P in Plural]: Item[] } & {
  nextCursor?: string | null;
};

export interface SentMessage {
  sessionId: string;
  continuationToken: string;
  messageId: string;
  /** `null` while it is not decided which turn takes the message. */
  turnId: string | null;
}

export interface CreatedSession extends SentMessage {
  turnId: string;
  streamUrl: string;
  traceUrl: string;
  playgroundUrl: string;
}

export interface SessionRecord {
  sessionId: string;
  status: string;
  mode: string;
  channel: string;
  principal: string;
  title?: string | null;
  dryRun?: boolean;
  /** The instant at which its clock stands. */
  asOf?: string | null;
  usage?: Usage;
  /** Index of the newest event. */
  lastIndex: number;
  /** Ids of the calls that wait for a person. */
  pendingApprovals: string[];
  createdAt?: string;
  continuationToken?: string;
}

/** A call that needs a person's decision, and what was decided. */
export interface ApprovalRecord {
  callId: string;
  sessionId: string;
  turnId: string;
  /** The agent's slug. */
  agent: string;
  version: number;
  toolName: string;
  input: JsonValue;
  decision: "pending" | "approve" | "deny";
  by: string | null;
  reason: string | null;
  /** Whose message led to the call. */
  principal: string;
  /** Whether the caller may decide now. */
  mayDecide: boolean;
  requestedAt: string;
  expiresAt: string;
  decidedAt: string | null;
}

export interface DecidedApproval {
  callId: string;
  decision: "approve" | "deny";
  sessionId: string;
  toolName: string;
}

export interface ToolListing {
  tools: { name: string; description: string; inputSchema?: JsonValue; outputSchema?: JsonValue }[];
}

export interface ToolOutcome {
  toolName: string;
  callId: string;
  isError: boolean;
  result: JsonValue;
  durationMs: number;
  /** A dry run answered; the tool did not run. */
  stubbed?: boolean;
  /** The session that the call was bound to. */
  sessionId?: string;
  /** The session's workspace could not be made: the read ran in an empty one. */
  scratchWorkspace?: boolean;
}

/** Same shape as `berth info --json`; what a project holds, by kind. */
export type AgentInfo = Record<string, unknown>;

export interface Me {
  orgs?: { slug: string; role?: string | undefined }[];
  [field: string]: unknown;
}

export interface AgentRecord {
  slug: string;
  kind: string;
  activeVersion: number | null;
  createdAt?: string;
}

export interface SecretRecord {
  name: string;
  version: number;
  /** Characters of the value. */
  length: number;
  /** First six hex digits of a keyed hash of the value. */
  fingerprint: string;
}

export interface ModelProvider {
  name: string;
  kind: string;
  baseUrl?: string | null;
  fingerprint?: string | null;
}

export interface ArtifactRecord {
  id: string;
  kind: string;
  key: string;
  version: number;
  title: string | null;
  /** Media type of the contents; null for an artifact of data alone. */
  contentType: string | null;
  /** Bytes of the contents. */
  size: number;
  sha256: string | null;
  sessionId: string | null;
  createdAt: string;
  expiresAt: string | null;
  /** Absent in lists. */
  data?: JsonValue;
}
