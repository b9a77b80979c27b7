/**
 * Messages between a worker and the agent process it keeps in a sandbox: frames of a
 * little-endian u32 length and UTF-8 JSON over one inherited socket (fd 3). The worker treats
 * every frame from the guest as hostile: it checks size, depth and shape, never trusts ids.
 */

/** Calls of one agent process to its worker that run at once. */
export const MAX_HOST_CALLS = 64;

/** Read-only facts about the session a call belongs to (`ctx.session`). */
export interface CallSession {
  id: string;
  channel: string;
  mode: "chat" | "task";
  /** The principal, as tenant code sees it. */
  auth: { principal: string; label?: string };
  dryRun: boolean;
  asOf?: string;
  continuationKey?: string;
}

/** What tenant code is told about the call it serves. */
export interface CallScope {
  toolCallId: string;
  session: CallSession;
  /** Name of the workspace folder below the sandbox's `/workspace`. */
  workspace: string;
  /** The folder is made for this call and removed after it. */
  scratch?: boolean;
  /** A direct call holds the session under this epoch: what it changes in the workspace is saved. */
  epoch?: number;
}

/** Work the worker asks of the agent process. */
export type RuntimeCall =
  | { kind: "describe" }
  | { kind: "instructions"; session: CallSession }
  /** Hands a turn's final text to the project's result.ts. */
  | { kind: "commit"; text: string; session: CallSession }
  /** What a tool call would be, without running it. */
  | { kind: "gate"; name: string; input: unknown; scope: CallScope }
  | { kind: "tool"; name: string; input: unknown; scope: CallScope; approved: boolean };

export type ToolEffect = "read" | "write";

interface InvalidInput {
  outcome: "invalid_input";
  message: string;
  issues: { path: string; message: string }[];
}

/**
 * How a `tool` call ended. `effect` is what the tool declares for this input, absent where nothing
 * of the tool has run; `stubbed` marks the answer of a dry run, whose tool did not run either.
 */
export type ToolOutcome =
  | {
      outcome: "returned";
      result: unknown;
      isError: boolean;
      effect?: ToolEffect;
      stubbed?: boolean;
    }
  | { outcome: "threw"; message: string; effect?: ToolEffect }
  | InvalidInput
  | { outcome: "approval_required" }
  | { outcome: "unknown_tool" };

/**
 * Answer to a `gate` call. `input` is the validated input as JSON with its keys in order, the same
 * whenever the same is asked. `refused` is a call whose result would be that error.
 */
export type GateOutcome =
  | { outcome: "open"; effect: ToolEffect; needsApproval: boolean; input: unknown }
  | { outcome: "refused"; message: string }
  | InvalidInput
  | { outcome: "unknown_tool" };

/** Answer to a `commit` call. */
export type CommitOutcome =
  | { outcome: "accepted" }
  | { outcome: "rejected"; message: string }
  | { outcome: "threw"; message: string };

/** A member of `ctx.host` (or another platform service) that tenant code called. */
export interface HostCall {
  /** Dotted name: `kv.get`, `files.put`, `log`, … */
  method: string;
  params: unknown;
  /** The call during which it was made; absent outside any call. */
  callId?: string;
}

/** First frame to the guest. Secrets travel here only, never in the environment of an exec. */
export interface GuestInit {
  t: "init";
  env: Record<string, string>;
  /** The bundle, the workspaces' parent and the agent's state folder, as paths the guest sees. */
  bundle: string;
  workspaceRoot: string;
  stateRoot: string;
  /** The shim that sends TCP through the gateway's socket; both or neither. */
  egress?: { shim: string; socket: string };
  limits: { maxFrameBytes: number; maxResultBytes: number; logBytesPerSecond: number };
}

/** Frames to a guest; the agent process and a session's shell differ in their init and calls. */
export type HostFrame<Init = GuestInit, Call = RuntimeCall> =
  | Init
  | { t: "call"; id: string; call: Call; timeoutMs: number }
  | { t: "cancel"; id: string }
  /** The result announced by `large` may be sent now. */
  | { t: "grant"; id: string }
  | { t: "ping"; n: number }
  | { t: "hres"; id: string; result?: unknown; error?: { code: string; message: string } };

export type GuestFrame =
  | { t: "ready" }
  | { t: "initerr"; error: GuestError }
  /** The call was read; it starts once this frame is written. */
  | { t: "took"; id: string }
  | { t: "res"; id: string; result: unknown }
  /** The result is this many bytes of JSON, too long for a frame; the guest waits for `grant`. */
  | { t: "large"; id: string; bytes: number }
  /** A piece of that JSON, in order, and that it was the last. */
  | { t: "part"; id: string; text: string }
  | { t: "end"; id: string }
  | { t: "err"; id: string; error: GuestError }
  | { t: "pong"; n: number }
  | { t: "hcall"; id: string; call: HostCall }
  | { t: "log"; level: "info" | "warn" | "error"; text: string; callId?: string };

export interface GuestError {
  name: string;
  message: string;
  code?: string;
  stack?: string;
  /** Project file whose module threw, when it is known. */
  file?: string;
}
