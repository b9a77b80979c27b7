import type { Manifest } from "../../protocol/manifest";
import type { RuntimeCall } from "../../protocol/runtime-rpc";
import type { ModelSource } from "../models";
import type { DeltaBatcher, Redactor } from "../sessions";
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

/** What a turn needs from the worker that runs it. */
export interface RunnerPorts {
  deltas: DeltaBatcher;
  /** @returns undefined when the version does not exist any more. */
  prepare(ref: AgentRef): Promise<PreparedAgent | undefined>;
  /** Runs a call in the agent's sandbox; rejects with SandboxError. */
  invoke(
    ref: AgentRef,
    call: RuntimeCall,
    options: { timeoutMs: number; signal?: AbortSignal },
  ): Promise<unknown>;
  /** Starts the agent's sandbox ahead of its first call. */
  prefetch(ref: AgentRef): void;
  timing?: ModelTiming;
}
