import type { HostCall, RuntimeCall } from "../../protocol/runtime-rpc";
import type { ShellCall } from "../../protocol/shell-rpc";
import type { BuildJob, BuildResult } from "./build-job";
import type { SandboxLimits } from "./limits";

/** How strong a driver's walls are here, and why they are weaker than they could be. */
export interface DriverCapabilities {
  strength: "vm" | "container" | "namespace" | "none";
  egress: "enforced" | "advisory";
  memory: "cgroup" | "watchdog" | "none";
  cpu: "cgroup" | "deadline-only";
  pids: "cgroup" | "rlimit" | "none";
  perTenantUid: boolean;
  reasons: string[];
}

export interface SandboxSpec {
  /** Unique and opaque: it names folders that the guest may see. */
  id: string;
  /** Whose files these are; sandboxes of one owner share a user id. */
  owner: string;
  /** Folder holding `bundle.mjs`, read-only inside. */
  bundleDir: string;
  /** Folder whose children are the workspaces in use. */
  workspaceRoot: string;
  stateDir: string;
  env: Record<string, string>;
  egressDomains: string[];
  limits: SandboxLimits;
}

/** What a session's shell needs: no bundle, no state, no secrets. */
export interface ShellSpec {
  id: string;
  /** The same as that of the agent's processes, so that both may write each other's files. */
  owner: string;
  /** The session's folder, which is all of the host that the shell may write. */
  workspaceDir: string;
  /** Absent where egress is closed. */
  egressDomains?: string[];
  limits: SandboxLimits;
}

export interface SandboxLog<Call = RuntimeCall> {
  level: "info" | "warn" | "error";
  text: string;
  /** The call that was running; absent for output outside any call. */
  call?: Call;
}

/** What a sandbox asks of its worker. Which sandbox asks is settled by the socket alone. */
export interface SandboxHost<Call = RuntimeCall> {
  onHostCall(call: HostCall, during: Call | undefined): Promise<unknown>;
  onLog(log: SandboxLog<Call>): void;
}

export interface SandboxExit {
  reason: string;
  code: number | null;
  signal: string | null;
}

export interface SandboxStats {
  rssMb: number;
  pids: number;
  inFlight: number;
}

export interface CallOptions {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface Sandbox<Call = RuntimeCall> {
  readonly id: string;
  readonly state: "ready" | "dead";
  /** User the guest's files belong to; absent when it is this process's own. */
  readonly uid: number | undefined;
  readonly inFlight: number;
  /** Result of the call. Rejects with SandboxError. */
  call(call: Call, options: CallOptions): Promise<unknown>;
  stats(): SandboxStats;
  /** Resolves only once every process of the sandbox is gone. */
  kill(reason: string): Promise<SandboxExit>;
  readonly exited: Promise<SandboxExit>;
}

export interface SandboxDriver {
  readonly name: "bwrap" | "unsafe-process";
  /** Starts a real sandbox and tests its walls. Throws, with what to do, when they do not hold. */
  probe(): Promise<DriverCapabilities>;
  start(spec: SandboxSpec, host: SandboxHost): Promise<Sandbox>;
  /** Starts the shell of a session. It makes no host calls. */
  startShell(spec: ShellSpec, onLog: SandboxHost<ShellCall>["onLog"]): Promise<Sandbox<ShellCall>>;
  runBuild(job: BuildJob): Promise<BuildResult>;
  /** Frees what the driver holds. Sandboxes are closed by whoever started them. */
  close(): Promise<void>;
}
