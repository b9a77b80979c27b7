import type { EgressDenial } from "../../protocol/gateway-control";
import type { RuntimeCall } from "../../protocol/runtime-rpc";
import type { AgentHostCall } from "./agent-instance";
import type { AgentRef, AgentSpec } from "./agent-ref";
import type { CallOptions, SandboxDriver, SandboxLog, SandboxStats } from "./driver";
import type { SandboxLimits } from "./limits";
import type { ShellPlace } from "./shell-place";
import type { WorkspaceFolders } from "./workspace-folders";

export interface SandboxesOptions {
  driver: SandboxDriver;
  /** What it takes to run a version. Called for each new process; may take its time. */
  resolve(ref: AgentRef): Promise<AgentSpec>;
  /** The current secrets revision of a version. Called for each invocation: must be quick. */
  revision(ref: AgentRef): Promise<string>;
  onHostCall(call: AgentHostCall): Promise<unknown>;
  onLog?(ref: AgentRef, log: SandboxLog): void;
  onDenied?(ref: AgentRef, denial: EgressDenial): void;
  limits?: Partial<SandboxLimits>;
  /** Those of this worker, where its shells use them too. */
  folders?: WorkspaceFolders;
  /** Processes kept alive at most, and for how long without a call. */
  maxInstances?: number;
  idleMs?: number;
  clock: { now(): Date };
}

export interface InstanceStats extends SandboxStats {
  ref: AgentRef;
  secretsRevision: string;
  draining: boolean;
}

/** The agent processes of one worker. */
export interface Sandboxes {
  /** Runs a call in the version's process, started if need be. Rejects with SandboxError. */
  invoke(ref: AgentRef, call: RuntimeCall, options: CallOptions): Promise<unknown>;
  /** Starts the version's process ahead of its first call. */
  prefetch(ref: AgentRef): void;
  /** Ends processes without calls that are idle too long or too many. Also runs by itself. */
  reap(): Promise<void>;
  stats(): InstanceStats[];
  /** To be given what the gateway refused; the id is the sandbox's. */
  denied(sandboxId: string, denial: EgressDenial): void;
  /** Where a session's shell works and what it may reach. */
  shellPlace(ref: AgentRef, session: string): Promise<ShellPlace>;
  /** The folder of a session's workspace on this worker, for work of the host. */
  workspaceFolder(ref: AgentRef, workspace: string): Promise<WorkspaceFolder>;
  /** What the agent's processes on this worker have as `/state`. */
  stateFolder(ref: AgentRef): Promise<string>;
  /** Removes a session's workspace. */
  removeWorkspace(ref: AgentRef, workspace: string): Promise<void>;
  /** Kills every process and resolves once none is left. */
  close(): Promise<void>;
}

/** A workspace's folder, as the host sees it. It may be changed by the guest at any moment. */
export interface WorkspaceFolder {
  /** What the version was built to, for files that travel with it. */
  bundleDir: string;
  /** A folder of this agent that no guest sees; its notes on workspaces are in it. */
  notes: string;
  /** Runs work with the folder's path while no call of an agent process enters or leaves it. */
  hold<T>(work: (path: string) => Promise<T>): Promise<T>;
  /** Ends the session's shell, if no call uses it; for when its turn is over. */
  rest(): Promise<void>;
  /** Removes it, and ends the session's shell. */
  remove(): Promise<void>;
}
