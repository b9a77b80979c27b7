import type { Host, LiveHost } from "./host";
import type { JsonValue } from "./json";
import type { Send, Session } from "./session-handle";

/** Read-only facts about the session a call belongs to. */
export interface SessionInfo {
  id: string;
  channel?: string;
  mode?: "chat" | "task";
  auth?: { principal: string; label?: string };
  purpose?: string;
  dryRun?: boolean;
  /** The instant the session is frozen at, ISO 8601. */
  asOf?: string;
  continuationKey?: string;
}

export interface ArtifactTag {
  kind: string;
  key: string;
  title?: string;
  data?: JsonValue;
  contents?: string | Uint8Array;
  contentType?: string;
}

export interface ArtifactRecord {
  id: string;
  kind: string;
  key: string;
  title?: string;
  version: number;
}

/** Artifacts of the session the call belongs to, as a test double has to have them. */
export interface Artifacts {
  tag(artifact: ArtifactTag & { title: string }): Promise<{ id: string }>;
}

/** The artifacts as callbacks receive them. */
export interface LiveArtifacts {
  /** Without a title the key stands for it. */
  tag(artifact: ArtifactTag): Promise<{ id: string; version: number }>;
  list(filter?: { kind?: string; key?: string }): Promise<ArtifactRecord[]>;
}

/** What a tool is told about its call. Optional members are always set by Berth itself. */
export interface ToolContext {
  host: Host;
  artifacts: Artifacts;
  workspaceDir: string;
  session: SessionInfo;
  now(): Date;
  toolCallId?: string;
  stateRoot?: string;
  signal?: AbortSignal;
  send?(channelId: string, ...rest: Parameters<Send>): Promise<Session>;
  getSession?(channelId: string, sessionId: string): Promise<Session | undefined>;
}

/** The context as `execute` receives it: every member is there. */
export type LiveToolContext = Required<Omit<ToolContext, "host" | "artifacts" | "session">> & {
  host: LiveHost;
  artifacts: LiveArtifacts;
  session: SessionInfo & { channel: string; mode: "chat" | "task"; dryRun: boolean };
};
