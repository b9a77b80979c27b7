/** How a run ended: `result` holds the final text, `errorMessage` why it failed. */
export interface SessionOutcome {
  status: string;
  result?: string;
  errorMessage?: string;
}

/** A session that project code started or looked up. */
export interface Session {
  id: string;
  continuationToken?: string;
  waitForCompletion(): Promise<SessionOutcome>;
}

/** Seed files of a new session's workspace, in either of the two usual shapes. */
export type WorkspaceFiles =
  | Record<string, string>
  | ({ path: string; content: string } | { path: string; contentBase64: string })[];

export interface SendOptions {
  continuationToken?: string | undefined;
  title?: string | undefined;
  state?: unknown;
  auth?: unknown;
  admission?: "preempt" | "coalesce" | undefined;
  mode?: "chat" | "task" | undefined;
  context?: string[] | undefined;
  workspaceFiles?: WorkspaceFiles | undefined;
  /** Relative to the workspace. */
  cwd?: string | undefined;
}

/** Starts a session with a message, or follows up on the one the token names. */
export type Send = (message: string, options?: SendOptions) => Promise<Session>;

export interface CallToolOptions {
  sessionId?: string;
  continuationToken?: string;
  approve?: boolean;
  dryRun?: boolean;
  asOf?: string;
}

export interface CallToolOutcome {
  toolName: string;
  callId: string;
  isError: boolean;
  result: unknown;
  durationMs: number;
  /** A dry run answered; the tool did not run. */
  stubbed?: boolean;
  /** The session's workspace could not be made: the read ran in an empty one. */
  scratchWorkspace?: boolean;
}

/** Calls a server tool without a model turn. */
export type CallTool = (
  name: string,
  input?: unknown,
  options?: CallToolOptions,
) => Promise<CallToolOutcome>;
