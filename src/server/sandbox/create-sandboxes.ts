import { join } from "node:path";
import type { EgressDenial } from "../../protocol/gateway-control";
import type { RuntimeCall } from "../../protocol/runtime-rpc";
import { AgentInstance, type InstanceIdentity, instanceKey } from "./agent-instance";
import { type AgentRef, type AgentSpec, refKey } from "./agent-ref";
import { CrashBackoff } from "./crash-backoff";
import type { CallOptions } from "./driver";
import { DEFAULT_LIMITS } from "./limits";
import { retryUnsent } from "./retry-unsent";
import { SandboxError } from "./sandbox-error";
import type { InstanceStats, Sandboxes, SandboxesOptions, WorkspaceFolder } from "./sandboxes";
import type { ShellPlace } from "./shell-place";
import { WorkspaceFolders, type WorkspacePlace } from "./workspace-folders";

const REAP_MS = 10_000;

class AgentRuntimes implements Sandboxes {
  private readonly instances = new Map<string, AgentInstance>();
  private readonly leaving = new Set<AgentInstance>();
  private readonly specs = new Map<string, { revision: string; spec: Promise<AgentSpec> }>();
  private readonly reasons = new Map<string, string>();
  private readonly folders: WorkspaceFolders;
  private readonly backoff: CrashBackoff;
  private readonly timer: NodeJS.Timeout;
  private readonly maxInstances: number;
  private closed = false;

  constructor(private readonly options: SandboxesOptions) {
    this.folders = options.folders ?? new WorkspaceFolders();
    this.maxInstances = options.maxInstances ?? 256;
    this.backoff = new CrashBackoff(() => this.now());
    this.timer = setInterval(() => void this.reap(), REAP_MS).unref();
  }

  invoke(ref: AgentRef, call: RuntimeCall, options: CallOptions): Promise<unknown> {
    return retryUnsent(options, (rest) => this.invokeOnce(ref, call, rest));
  }

  private async invokeOnce(ref: AgentRef, call: RuntimeCall, options: CallOptions) {
    const instance = await this.claim(ref, call);
    try {
      const sandbox = await instance.started;
      const result = await this.callIn(instance, sandbox.uid, call, (opened) =>
        sandbox.call(opened, options),
      );
      this.backoff.succeeded(refKey(ref));
      return result;
    } finally {
      instance.users--;
      instance.lastUsedAt = this.now();
      if (instance.draining && instance.users === 0) void this.retire(instance, "it was replaced");
    }
  }

  prefetch(ref: AgentRef): void {
    this.specOf(ref)
      .then((spec) => {
        if (spec.isolation === "agent") this.obtain({ ref, spec, session: undefined });
      })
      // The call that follows meets the same failure and reports it.
      .catch(() => undefined);
  }

  async reap(): Promise<void> {
    const idleMs = this.options.idleMs ?? 600_000;
    const idle = [...this.instances.values()]
      .filter((instance) => instance.users === 0 && instance.sandbox !== undefined)
      .sort((a, b) => a.lastUsedAt - b.lastUsedAt);
    const surplus = this.instances.size - this.maxInstances;
    const ending = idle.filter(
      (instance, i) => i < surplus || this.now() - instance.lastUsedAt >= idleMs,
    );
    await Promise.all(ending.map((instance) => this.retire(instance, "it was idle")));
  }

  stats(): InstanceStats[] {
    return [...this.instances.values(), ...this.leaving].flatMap((instance) => {
      const { ref, spec } = instance.identity;
      const stats = instance.sandbox?.stats();
      const { draining } = instance;
      return stats ? [{ ref, secretsRevision: spec.secretsRevision, draining, ...stats }] : [];
    });
  }

  denied(sandboxId: string, denial: EgressDenial): void {
    const all = [...this.instances.values(), ...this.leaving];
    const instance = all.find((candidate) => candidate.sandboxId === sandboxId);
    if (instance) this.options.onDenied?.(instance.identity.ref, denial);
  }

  async shellPlace(ref: AgentRef, session: string): Promise<ShellPlace> {
    const spec = await this.knownSpec(ref);
    return { ref, session, folder: placeOf(spec, session), egressDomains: spec.egressDomains };
  }

  async workspaceFolder(ref: AgentRef, workspace: string): Promise<WorkspaceFolder> {
    const spec = await this.knownSpec(ref);
    const place = placeOf(spec, workspace);
    return {
      bundleDir: spec.bundleDir,
      notes: join(spec.workspaceRoot, "notes"),
      hold: (work) => this.folders.hold(place, workspace, work),
      rest: () => this.folders.rest(place, workspace),
      remove: () => this.folders.remove(place, workspace),
    };
  }

  async stateFolder(ref: AgentRef): Promise<string> {
    return (await this.knownSpec(ref)).stateDir;
  }

  async removeWorkspace(ref: AgentRef, workspace: string): Promise<void> {
    const folder = await this.workspaceFolder(ref, workspace);
    await folder.remove();
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    const all = [...this.instances.values(), ...this.leaving];
    await Promise.all(all.map((instance) => this.retire(instance, "the worker is closing")));
  }

  private now(): number {
    return this.options.clock.now().getTime();
  }

  /** Secrets are kept for versions that have a process only, so nothing is remembered here. */
  private knownSpec(ref: AgentRef): Promise<AgentSpec> {
    return this.specs.get(refKey(ref))?.spec ?? this.options.resolve(ref);
  }

  /** The process for a call, counted as used from here on. */
  private async claim(ref: AgentRef, call: RuntimeCall): Promise<AgentInstance> {
    const spec = await this.specOf(ref);
    const session = spec.isolation === "session" ? sessionOf(call) : undefined;
    const identity = { ref, spec, session };
    await this.endOfDead(instanceKey(identity));
    const instance = this.obtain(identity);
    instance.users++;
    return instance;
  }

  /** A call that meets a dying process waits for its end, which counts as a crash. */
  private async endOfDead(key: string): Promise<void> {
    const existing = this.instances.get(key);
    if (existing?.sandbox?.state === "dead") await existing.ended;
  }

  /** One start per version, revision and session, however many ask. */
  private obtain(identity: InstanceIdentity): AgentInstance {
    if (this.closed) throw new SandboxError("runtime_lost", "The worker is closing.");
    const existing = this.instances.get(instanceKey(identity));
    if (existing && existing.sandbox?.state !== "dead") return existing;
    return this.startInstance(identity);
  }

  private async specOf(ref: AgentRef): Promise<AgentSpec> {
    const key = refKey(ref);
    const revision = await this.options.revision(ref);
    const known = this.specs.get(key);
    if (known?.revision === revision) return known.spec;
    const spec = this.options.resolve(ref);
    this.specs.set(key, { revision, spec });
    spec.catch(() => {
      if (this.specs.get(key)?.spec === spec) this.specs.delete(key);
    });
    return spec;
  }

  private startInstance(identity: InstanceIdentity): AgentInstance {
    const version = refKey(identity.ref);
    this.backoff.check(version, this.reasons.get(version));
    this.drainOlder(identity);
    const instance = new AgentInstance(identity, {
      driver: this.options.driver,
      folders: this.folders,
      limits: { ...DEFAULT_LIMITS, ...this.options.limits },
      onHostCall: (call) => this.options.onHostCall(call),
      onLog: (ref, log) => this.options.onLog?.(ref, log),
      now: () => this.now(),
    });
    this.instances.set(instance.key, instance);
    if (this.instances.size > this.maxInstances) void this.reap();
    instance.ended = instance.exited().then(
      ({ reason }) => this.onEnd(instance, reason),
      (error: Error) => this.onEnd(instance, error.message),
    );
    return instance;
  }

  /** Processes of the same version with other secrets take no new calls. */
  private drainOlder({ ref, spec, session }: InstanceIdentity): void {
    const version = refKey(ref);
    for (const other of [...this.instances.values()]) {
      const { identity } = other;
      if (refKey(identity.ref) !== version || identity.session !== session) continue;
      if (identity.spec.secretsRevision === spec.secretsRevision) continue;
      other.draining = true;
      this.instances.delete(other.key);
      this.leaving.add(other);
      if (other.users === 0) void this.retire(other, "its secrets changed");
    }
  }

  private onEnd(instance: AgentInstance, reason: string): void {
    const retired = this.leaving.delete(instance);
    if (this.instances.get(instance.key) === instance) this.instances.delete(instance.key);
    const version = refKey(instance.identity.ref);
    this.forgetSecrets(version);
    if (retired) return;
    this.reasons.set(version, reason);
    this.backoff.crashed(version);
  }

  /** The secrets of a version are kept only while a process of it lives. */
  private forgetSecrets(version: string): void {
    const lives = [...this.instances.values()].some(
      ({ identity }) => refKey(identity.ref) === version,
    );
    if (!lives) this.specs.delete(version);
  }

  private async retire(instance: AgentInstance, reason: string): Promise<void> {
    if (this.instances.get(instance.key) === instance) this.instances.delete(instance.key);
    this.leaving.add(instance);
    await instance.kill(reason);
    this.leaving.delete(instance);
  }

  private async callIn(
    instance: AgentInstance,
    uid: number | undefined,
    call: RuntimeCall,
    run: (call: RuntimeCall) => Promise<unknown>,
  ): Promise<unknown> {
    if (call.kind !== "tool") return run(call);
    const { workspace, scratch = false } = call.scope;
    await this.folders.enter(instance.place, workspace, scratch, uid);
    try {
      return await run(call);
    } finally {
      await this.folders.leave(instance.place, workspace, scratch);
    }
  }
}

const placeOf = ({ workspaceRoot, isolation }: AgentSpec, session: string): WorkspacePlace => ({
  root: workspaceRoot,
  mounted: isolation === "session" ? session : "agent",
});

function sessionOf(call: RuntimeCall): string | undefined {
  if (call.kind === "tool" || call.kind === "gate") return call.scope.workspace;
  return call.kind === "describe" ? undefined : call.session.id;
}

/** Keeps the agent processes of this worker: starts on demand, reaps, replaces, and kills them. */
export const createSandboxes = (options: SandboxesOptions): Sandboxes => new AgentRuntimes(options);
