import { randomBytes } from "node:crypto";
import type { HostCall, RuntimeCall } from "../../protocol/runtime-rpc";
import { type AgentRef, type AgentSpec, ownerOf, refKey } from "./agent-ref";
import type { Sandbox, SandboxDriver, SandboxExit, SandboxLog } from "./driver";
import type { SandboxLimits } from "./limits";
import type { WorkspaceFolders, WorkspacePlace } from "./workspace-folders";

/** A host call and where it comes from; `during` is the call it was made in, if any. */
export interface AgentHostCall extends HostCall {
  ref: AgentRef;
  during: RuntimeCall | undefined;
}

export interface InstanceContext {
  driver: SandboxDriver;
  folders: WorkspaceFolders;
  limits: SandboxLimits;
  onHostCall(call: AgentHostCall): Promise<unknown>;
  onLog(ref: AgentRef, log: SandboxLog): void;
  now(): number;
}

export interface InstanceIdentity {
  ref: AgentRef;
  spec: AgentSpec;
  /** Session it belongs to, where each session has its own process. */
  session: string | undefined;
}

/** One agent process from the first call that needs it to its end. */
export class AgentInstance {
  readonly sandboxId = `s${randomBytes(8).toString("hex")}`;
  readonly started: Promise<Sandbox>;
  readonly place: WorkspacePlace;
  lastUsedAt: number;
  /** Calls that use it, from before it is ready. */
  users = 0;
  /** A newer revision took its place: it ends with its last call. */
  draining = false;
  sandbox: Sandbox | undefined;
  /** Settles once its end has been taken note of. */
  ended: Promise<void> = Promise.resolve();

  constructor(
    readonly identity: InstanceIdentity,
    private readonly context: InstanceContext,
  ) {
    const { spec, session } = identity;
    this.place = { root: spec.workspaceRoot, mounted: session ?? "agent" };
    this.lastUsedAt = context.now();
    this.started = this.start();
    this.started.catch(() => undefined);
  }

  get key(): string {
    return instanceKey(this.identity);
  }

  /** The process's end; rejects if it never started. */
  async exited(): Promise<SandboxExit> {
    return (await this.started).exited;
  }

  /** Resolves once no process of it is left, whatever state it was in. */
  async kill(reason: string): Promise<void> {
    const sandbox = await this.started.catch(() => undefined);
    await sandbox?.kill(reason);
  }

  private async start(): Promise<Sandbox> {
    const { ref, spec } = this.identity;
    const { driver, folders, limits } = this.context;
    const workspaceRoot = await folders.mount(this.place);
    this.sandbox = await driver.start(
      {
        id: this.sandboxId,
        owner: ownerOf(ref),
        bundleDir: spec.bundleDir,
        workspaceRoot,
        stateDir: spec.stateDir,
        env: spec.env,
        egressDomains: spec.egressDomains,
        limits: { ...limits, ...spec.limits },
      },
      {
        onHostCall: (call, during) => this.context.onHostCall({ ...call, ref, during }),
        onLog: (log) => this.context.onLog(ref, log),
      },
    );
    return this.sandbox;
  }
}

/** What two calls must share to be served by one process. */
export const instanceKey = ({ ref, spec, session }: InstanceIdentity): string =>
  `${refKey(ref)}#${spec.secretsRevision}${session === undefined ? "" : `@${session}`}`;
