import type { EgressDenial } from "../../protocol/gateway-control";
import type { ShellCall, ShellOutcome } from "../../protocol/shell-rpc";
import type { CallOptions, SandboxDriver, SandboxLog, SandboxStats } from "./driver";
import { DEFAULT_LIMITS, type SandboxLimits } from "./limits";
import { retryUnsent } from "./retry-unsent";
import { SandboxError } from "./sandbox-error";
import { SessionShell } from "./session-shell";
import { type ShellPlace, shellKey } from "./shell-place";
import type { WorkspaceFolders } from "./workspace-folders";

export interface ShellsOptions {
  driver: SandboxDriver;
  /** The same that the agent processes of this worker use. */
  folders: WorkspaceFolders;
  limits?: Partial<SandboxLimits>;
  /** How long a shell is kept without a call. */
  idleMs?: number;
  clock: { now(): Date };
  onLog?(place: ShellPlace, log: SandboxLog<ShellCall>): void;
  onDenied?(place: ShellPlace, denial: EgressDenial): void;
}

export interface ShellStats extends SandboxStats {
  session: string;
}

/** The shells of one worker's sessions. */
export interface Shells {
  /**
   * Runs a call in the session's shell, started if need be. `timeoutMs` bounds the program a call
   * runs, which then answers with what it had; it is also how long the answer is waited for.
   * Rejects with SandboxError; after `tool_timeout` and `runtime_lost` the workspace may have changed.
   */
  call(place: ShellPlace, call: ShellCall, options: CallOptions): Promise<ShellOutcome>;
  /** Ends the session's shell and resolves once no process of it is left. */
  end(place: ShellPlace): Promise<void>;
  /** Ends shells that are idle too long. Also runs by itself. */
  reap(): Promise<void>;
  stats(): ShellStats[];
  /** To be given what the gateway refused; the id is the sandbox's. */
  denied(sandboxId: string, denial: EgressDenial): void;
  /** Kills every shell and resolves once none is left. */
  close(): Promise<void>;
}

const REAP_MS = 5_000;
/** A program that reached its time limit is killed and its output gathered in this time. */
const ANSWER_MS = 2_000;

class SessionShells implements Shells {
  private readonly shells = new Map<string, SessionShell>();
  private readonly leaving = new Set<SessionShell>();
  private readonly lanes = new Map<string, Promise<unknown>>();
  private readonly timer: NodeJS.Timeout;
  private closed = false;

  constructor(private readonly options: ShellsOptions) {
    this.timer = setInterval(() => void this.reap(), REAP_MS).unref();
    options.folders.onRest(({ root }, name, which) =>
      this.endThose(
        ({ place, users }) =>
          place.folder.root === root && place.session === name && (which === "all" || users === 0),
      ),
    );
  }

  async call(place: ShellPlace, call: ShellCall, options: CallOptions): Promise<ShellOutcome> {
    const { folders } = this.options;
    await folders.mount(place.folder);
    const workspaceDir = await folders.enter(place.folder, place.session, false);
    try {
      return await retryUnsent(options, (rest) => this.callIn(place, workspaceDir, call, rest));
    } finally {
      await folders.leave(place.folder, place.session, false);
    }
  }

  end(place: ShellPlace): Promise<void> {
    return this.endThose((shell) => shellKey(shell.place, true) === shellKey(place, true));
  }

  async reap(): Promise<void> {
    const idleMs = this.options.idleMs ?? 60_000;
    const idle = [...this.shells.values()].filter(
      ({ users, sandbox, lastUsedAt }) =>
        users === 0 && sandbox !== undefined && this.now() - lastUsedAt >= idleMs,
    );
    await Promise.all(idle.map((shell) => this.retire(shell, "it was idle")));
  }

  stats(): ShellStats[] {
    return this.all().flatMap(({ place, sandbox }) =>
      sandbox ? [{ session: place.session, ...sandbox.stats() }] : [],
    );
  }

  denied(sandboxId: string, denial: EgressDenial): void {
    const shell = this.all().find(({ id }) => id === sandboxId);
    if (shell) this.options.onDenied?.(shell.place, denial);
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    await Promise.all(this.all().map((shell) => this.retire(shell, "the worker is closing")));
  }

  private now(): number {
    return this.options.clock.now().getTime();
  }

  private all(): SessionShell[] {
    return [...this.shells.values(), ...this.leaving];
  }

  private async endThose(chosen: (shell: SessionShell) => boolean): Promise<void> {
    const shells = [...this.shells.values()].filter(chosen);
    await Promise.all(shells.map((shell) => this.retire(shell, "its turn is over")));
  }

  private async callIn(
    place: ShellPlace,
    workspaceDir: string,
    call: ShellCall,
    { timeoutMs, signal }: CallOptions,
  ): Promise<ShellOutcome> {
    const shell = await this.claim(place, workspaceDir, this.isOpen(place, call));
    try {
      const sandbox = await shell.started;
      const answered = { timeoutMs: timeoutMs + (runsProgram(call) ? ANSWER_MS : 0), signal };
      return (await sandbox.call(withLimit(call, timeoutMs), answered)) as ShellOutcome;
    } finally {
      shell.users--;
      shell.lastUsedAt = this.now();
    }
  }

  /** Only programs can reach the network; file work goes to a shell that is there already. */
  private isOpen(place: ShellPlace, call: ShellCall): boolean {
    if (runsProgram(call)) return call.egress !== false;
    return this.shells.has(shellKey(place, true)) || !this.shells.has(shellKey(place, false));
  }

  /** The shell for a call, counted as used from here on. One start at a time for each. */
  private claim(place: ShellPlace, workspaceDir: string, egress: boolean): Promise<SessionShell> {
    const key = shellKey(place, egress);
    const result = (this.lanes.get(key) ?? Promise.resolve()).then(() =>
      this.obtain(key, place, workspaceDir, egress),
    );
    const lane = result.catch(() => undefined);
    this.lanes.set(key, lane);
    void lane.then(() => {
      if (this.lanes.get(key) === lane) this.lanes.delete(key);
    });
    return result;
  }

  private async obtain(
    key: string,
    place: ShellPlace,
    workspaceDir: string,
    egress: boolean,
  ): Promise<SessionShell> {
    const existing = this.shells.get(key);
    if (existing) {
      existing.users++;
      if (await existing.serves(workspaceDir, place)) return existing;
      existing.users--;
      await this.retire(existing, "its folder or its domains changed");
    }
    if (this.closed) throw new SandboxError("runtime_lost", "The worker is closing.");
    const shell = new SessionShell({
      driver: this.options.driver,
      limits: { ...DEFAULT_LIMITS, ...this.options.limits },
      ...{ place, workspaceDir, egress },
      onLog: (log) => this.options.onLog?.(place, log),
    });
    shell.users++;
    this.shells.set(key, shell);
    return shell;
  }

  private async retire(shell: SessionShell, reason: string): Promise<void> {
    for (const [key, known] of this.shells) if (known === shell) this.shells.delete(key);
    this.leaving.add(shell);
    await shell.kill(reason);
    this.leaving.delete(shell);
  }
}

type ProgramCall = Extract<ShellCall, { kind: "shell" | "script" }>;

const runsProgram = (call: ShellCall): call is ProgramCall =>
  call.kind === "shell" || call.kind === "script";

/** A program's own time limit, within the call's. */
const withLimit = (call: ShellCall, timeoutMs: number): ShellCall =>
  runsProgram(call)
    ? { ...call, timeoutMs: Math.min(call.timeoutMs ?? timeoutMs, timeoutMs) }
    : call;

/** Keeps the shells of this worker's sessions: starts on demand, ends them idle or when told. */
export const createShells = (options: ShellsOptions): Shells => new SessionShells(options);
