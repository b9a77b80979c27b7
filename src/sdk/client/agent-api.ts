import type { SessionEvent, StreamEnd } from "../../protocol/event";
import type { JsonValue } from "../../protocol/json";
import type {
  AgentInfo,
  ArtifactRecord,
  CreatedSession,
  DecidedApproval,
  Page,
  SentMessage,
  SessionRecord,
  ToolListing,
  ToolOutcome,
} from "./answers";
import { type Connection, path, request, requestJson } from "./request";
import { type ResumeOptions, resumeLines } from "./resume-lines";

/** Files for the session's workspace: a list, or a map from path to text. */
export type WorkspaceFiles =
  | readonly ({ path: string; content: string } | { path: string; contentBase64: string })[]
  | Record<string, string>;

export interface NewSession {
  message: string;
  title?: string;
  /** A task runs once and takes no follow-up. */
  mode?: "chat" | "task";
  /** Answers writes without doing them. */
  dryRun?: boolean;
  /** Freezes the session at an instant, ISO 8601 with a timezone. */
  asOf?: string;
  /** Written before the turn. */
  workspaceFiles?: WorkspaceFiles;
  metadata?: Record<string, JsonValue>;
}

export interface FollowUp {
  message: string;
  continuationToken?: string;
  /** What becomes of a turn that runs: it is interrupted (the default), or may take the message. */
  admission?: "preempt" | "coalesce";
  workspaceFiles?: WorkspaceFiles;
}

export interface DirectCall {
  input: unknown;
  /** For a tool that needs approval, by a caller who may decide. */
  approve?: boolean;
  /** Binds the call to a session of the caller; at most one of the two. */
  sessionId?: string;
  continuationToken?: string;
  dryRun?: boolean;
  /** Freezes the call at an instant, ISO 8601 with a timezone. */
  asOf?: string;
}

export interface ApprovalDecision {
  decision: "approve" | "deny";
  /** At most 2,000 characters; the model sees it. */
  reason?: string;
}

export interface SessionFilter {
  status?: string;
  channel?: string;
  limit?: number;
  cursor?: string;
}

export interface ArtifactFilter {
  kind?: string;
  /** A session's id. */
  session?: string;
  limit?: number;
  cursor?: string;
}

/** One agent's own HTTP API. Every method throws BerthApiError for an answer that is no success. */
export interface AgentApi {
  /** Starts a session with its first message. */
  createSession(session: NewSession): Promise<CreatedSession>;
  sendMessage(sessionId: string, followUp: FollowUp): Promise<SentMessage>;
  getSession(sessionId: string): Promise<SessionRecord>;
  listSessions(filter?: SessionFilter): Promise<Page<"sessions", SessionRecord>>;
  stop(sessionId: string, options?: { turnId?: string }): Promise<{ stopped: boolean }>;
  deleteSession(sessionId: string): Promise<void>;
  /** Decides about a call that waits; the first decision counts. */
  decideApproval(
    sessionId: string,
    callId: string,
    decision: ApprovalDecision,
  ): Promise<DecidedApproval>;
  /** The session's events from `startIndex` on, each once; reconnects by itself. */
  events(sessionId: string, options?: ResumeOptions): AsyncGenerator<SessionEvent, void, undefined>;
  info(): Promise<AgentInfo>;
  listTools(): Promise<ToolListing>;
  callTool(name: string, call: DirectCall): Promise<ToolOutcome>;
  listArtifacts(filter?: ArtifactFilter): Promise<Page<"artifacts", ArtifactRecord>>;
  getArtifact(id: string): Promise<ArtifactRecord>;
  /** The contents as an answer whose body is read by the caller. */
  downloadArtifact(id: string): Promise<Response>;
}

async function* sessionEvents(
  connection: Connection,
  route: string,
  options?: ResumeOptions,
): AsyncGenerator<SessionEvent, void, undefined> {
  const lines = resumeLines<SessionEvent | StreamEnd>(
    connection,
    {
      route,
      indexOf: (line) => ("index" in line ? line.index : undefined),
      isLast: (line) => line.type === "stream.end",
    },
    options,
  );
  for await (const line of lines) if (line.type !== "stream.end") yield line;
}

/** The client of the agent at `connection`, whose URL ends in `/{org}/{agent}`. */
export function agentApi(connection: Connection): AgentApi {
  const session = (id: string) => `/v1/session${path(id)}`;
  const call = <T>(method: string, route: string, json?: unknown) =>
    requestJson<T>(connection, method, route, json === undefined ? {} : { json });
  return {
    createSession: (body) => call("POST", "/v1/session", body),
    sendMessage: (id, body) => call("POST", session(id), body),
    getSession: (id) => call("GET", session(id)),
    listSessions: (filter) =>
      requestJson(connection, "GET", "/v1/sessions", { query: { ...filter } }),
    stop: (id, body = {}) => call("POST", `${session(id)}/stop`, body),
    deleteSession: async (id) => {
      await request(connection, "DELETE", session(id));
    },
    decideApproval: (id, callId, decision) =>
      call("POST", `${session(id)}/approvals${path(callId)}`, decision),
    events: (id, options) => sessionEvents(connection, `${session(id)}/stream`, options),
    info: () => call("GET", "/v1/info"),
    listTools: () => call("GET", "/v1/tools"),
    callTool: (name, body) => call("POST", `/v1/tools${path(name)}`, body),
    listArtifacts: (filter) =>
      requestJson(connection, "GET", "/v1/artifacts", { query: { ...filter } }),
    getArtifact: (id) => call("GET", `/v1/artifacts${path(id)}`),
    downloadArtifact: (id) =>
      request(connection, "GET", `/v1/artifacts${path(id)}/content`, { accept: "*/*" }),
  };
}
