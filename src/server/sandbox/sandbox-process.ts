import type { ChildProcess } from "node:child_process";
import type { Duplex } from "node:stream";
import type { CallOptions, Sandbox, SandboxExit, SandboxHost, SandboxStats } from "./driver";
import { GuestRpc } from "./guest-rpc";
import type { LargeResults } from "./large-results";
import type { SandboxLimits } from "./limits";
import { MemoryWatch } from "./memory-watch";
import { OutputTail } from "./output-tail";
import { processTree, residentMb } from "./process-tree";
import { SandboxError } from "./sandbox-error";

/** How a driver's child process is ended and what is left to do once it is gone. */
export interface ProcessControl {
  child: ChildProcess;
  uid: number | undefined;
  large: LargeResults;
  /** Called now and then while it runs, to note what cannot be found out once it is over. */
  observe?(): void;
  /** Kills every process of the sandbox. */
  killAll(): void;
  /** Runs once after the child's exit; resolves when no process is left and all is given back. */
  cleanUp(): Promise<void>;
}

const RPC_FD = 3;
const CLOSING_MS = 250;

function rpcSocket(child: ChildProcess): Duplex {
  const socket = child.stdio[RPC_FD];
  if (!socket) throw new Error("the sandbox was spawned without its socket");
  return socket as Duplex;
}

/** One guest and everything around it: its socket, deadlines, watchdog and end. */
export class SandboxProcess<Init, Call> implements Sandbox<Call> {
  readonly id: string;
  readonly exited: Promise<SandboxExit>;
  private readonly rpc: GuestRpc<Init, Call>;
  private readonly output: OutputTail;
  private readonly watch: MemoryWatch;
  private reason: string | undefined;
  private dead = false;
  private loaded: { resolve: () => void; reject: (error: Error) => void } | undefined;

  constructor(
    private readonly control: ProcessControl,
    private readonly spec: { id: string; limits: SandboxLimits },
    host: SandboxHost<Call>,
  ) {
    this.id = spec.id;
    const { child } = control;
    this.output = new OutputTail(child, (text) => host.onLog({ level: "info", text }), spec.limits);
    this.rpc = new GuestRpc(rpcSocket(child), spec.limits, host, control.large, {
      onReady: () => this.loaded?.resolve(),
      onInitError: (error) =>
        this.loaded?.reject(
          new SandboxError("sandbox_failed", `The bundle could not be loaded: ${error.message}`, {
            guestStack: error.stack,
          }),
        ),
      onFatal: (reason) => void this.kill(reason),
      onClosed: () => this.endSoon(),
    });
    this.exited = this.whenExited(child);
    this.watch = new MemoryWatch(
      child.pid ?? 0,
      spec.limits.watchdogMs,
      () => this.inFlight > 0,
      (used) => this.onMemory(used),
    );
  }

  get state(): "ready" | "dead" {
    return this.dead || this.reason !== undefined ? "dead" : "ready";
  }

  get uid(): number | undefined {
    return this.control.uid;
  }

  get inFlight(): number {
    return this.rpc.inFlight;
  }

  /** Sends the init frame and waits for the bundle. On failure the process is gone when it rejects. */
  async load(init: Init): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        this.loaded = { resolve, reject };
        timer = setTimeout(
          () => reject(this.failed(`it did not start within ${this.spec.limits.startMs} ms`)),
          this.spec.limits.startMs,
        );
        void this.exited.then(({ reason }) => reject(this.failed(reason)));
        this.rpc.send(init);
      });
      this.control.observe?.();
    } catch (error) {
      await this.kill("it did not load");
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async call(call: Call, { timeoutMs, signal }: CallOptions): Promise<unknown> {
    if (signal?.aborted) throw new SandboxError("cancelled", "The call was cancelled.");
    if (this.state === "dead") throw new SandboxError("runtime_lost", "The agent process is gone.");
    const { id, result } = this.rpc.call(call, timeoutMs);
    let stop: (() => void) | undefined;
    const stopped = new Promise<never>((_, reject) => {
      const end = (code: "tool_timeout" | "cancelled", message: string) => {
        const sent = this.rpc.cancel(id);
        void this.checkAlive(message);
        reject(new SandboxError(code, message, { sent }));
      };
      const late = `The call took longer than ${timeoutMs} ms.`;
      const timer = setTimeout(() => end("tool_timeout", late), timeoutMs);
      const onAbort = () => end("cancelled", "The call was cancelled.");
      signal?.addEventListener("abort", onAbort, { once: true });
      stop = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
    });
    try {
      return await Promise.race([result, stopped]);
    } finally {
      stop?.();
    }
  }

  stats(): SandboxStats {
    const pids = this.pids();
    return { rssMb: residentMb(pids), pids: pids.length, inFlight: this.inFlight };
  }

  async kill(reason: string): Promise<SandboxExit> {
    this.reason ??= reason;
    if (!this.dead) this.control.killAll();
    return await this.exited;
  }

  private pids(): number[] {
    const { pid } = this.control.child;
    return pid === undefined || this.dead ? [] : processTree(pid);
  }

  /** A process that closed its socket is usually exiting, and its exit tells more. */
  private endSoon(): void {
    setTimeout(() => {
      if (!this.dead) void this.kill("it closed its socket");
    }, CLOSING_MS).unref();
  }

  private onMemory(used: number): void {
    this.control.observe?.();
    if (used <= this.spec.limits.memoryMb) return;
    void this.kill(`it used ${Math.round(used)} MiB of ${this.spec.limits.memoryMb} MiB memory`);
  }

  /** A process whose event loop stands still after a call ended is killed. */
  private async checkAlive(why: string): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const hung = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), this.spec.limits.hangMs);
    });
    const alive = await Promise.race([this.rpc.ping().then(() => true), hung]);
    clearTimeout(timer);
    if (!alive && !this.dead) await this.kill(`${why} Its event loop is blocked`);
  }

  private failed(reason: string): SandboxError {
    const output = this.output.text();
    const said = output === "" ? "" : ` Its output: ${output.slice(-2000)}`;
    return new SandboxError("sandbox_failed", `The agent process failed: ${reason}.${said}`);
  }

  private whenExited(child: ChildProcess): Promise<SandboxExit> {
    return new Promise((resolve) => {
      const end = (code: number | null, signal: string | null, why: string) => {
        if (this.dead) return;
        this.dead = true;
        this.watch.stop();
        const reason = this.reason ?? why;
        void this.rpc
          .close(reason)
          .then(() => this.control.cleanUp())
          .finally(() => resolve({ reason, code, signal }));
      };
      child.once("error", (error) => end(null, null, error.message));
      child.once("exit", (code, signal) =>
        end(code, signal, signal === null ? `it exited with ${code}` : `it died of ${signal}`),
      );
    });
  }
}
