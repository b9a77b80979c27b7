import type { Manifest } from "../../protocol/manifest";
import type { RuntimeCall } from "../../protocol/runtime-rpc";
import type { ShellCall, ShellOutcome } from "../../protocol/shell-rpc";
import type { ModelSource } from "../models";
import type { DeltaBatcher, Redactor } from "../sessions";
import type { Claim } from "../turns";
import type { ModelTiming } from "./model-timing";

/** One built version of one agent. */
export interface AgentRef {
  orgId: string;
  agentId: string;
  version: number;
}

/** What a turn needs to know about the version it runs. */
export interface PreparedAgent {
  manifest: Manifest;
  models: ModelSource;
  redactor: Redactor;
}

/** A session's workspace while a turn works in it: the folder on this worker, and its saving. */
export interface TurnWorkspace {
  /** Resolves once the folder holds what it is to hold. @throws AppError `workspace_unavailable` */
  ready(): Promise<void>;
  /** Messages joined the turn: the next `ready` waits for their files as well. */
  joined(): void;
  /** Has what changed written together with a result; `note` tells the model what is not saved. */
  save<T>(write: (saved: { changes?: unknown; note?: string }) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface CallOptions {
  timeoutMs: number;
  signal?: AbortSignal;
}

/** What a turn needs from the worker that runs it. */
export interface RunnerPorts {
  deltas: DeltaBatcher;
  /** @returns undefined when the version does not exist any more. */
  prepare(ref: AgentRef): Promise<PreparedAgent | undefined>;
  /** Runs a call in the agent's sandbox; rejects with SandboxError. */
  invoke(ref: AgentRef, call: RuntimeCall, options: CallOptions): Promise<unknown>;
  /** Runs a call in the shell of a session, in its workspace; rejects with SandboxError. */
  shell(
    ref: AgentRef,
    sessionId: string,
    call: ShellCall,
    options: CallOptions,
  ): Promise<ShellOutcome>;
  /** The workspace of a claimed turn's session. Nothing happens before it is asked for. */
  workspace(ref: AgentRef, claim: Claim, manifest: Manifest): TurnWorkspace;
  /** Starts the agent's sandbox ahead of its first call. */
  prefetch(ref: AgentRef): void;
  timing?: ModelTiming;
  /** Tokens that models take at once, instead of what is known of them. */
  contextTokens?: number;
}
