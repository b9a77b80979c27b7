import type { Duplex } from "node:stream";
import { encodeFrame, FrameError, FrameReader } from "../../protocol/frame";
import type { GuestError, GuestFrame, HostFrame, RuntimeCall } from "../../protocol/runtime-rpc";
import type { SandboxHost } from "./driver";
import { readGuestFrame } from "./guest-frame";
import type { SandboxLimits } from "./limits";
import { LogBudget } from "./log-budget";
import { SandboxError, type SandboxErrorCode } from "./sandbox-error";

/** Bytes a guest may leave unread before it is taken for one that will not read. */
const MAX_UNREAD = 64 * 1024 * 1024;

interface Pending {
  call: RuntimeCall;
  resolve: (result: unknown) => void;
  reject: (error: SandboxError) => void;
}

export interface RpcEvents {
  onReady(): void;
  onInitError(error: GuestError): void;
  /** The guest broke the contract; nothing more of it is read. */
  onFatal(reason: string): void;
  /** The guest's end of the socket is closed. */
  onClosed(): void;
}

const codeOf = (error: GuestError): SandboxErrorCode =>
  error.code === "output_too_large" ? "output_too_large" : "sandbox_failed";

/** The worker's end of the socket to one agent process. Everything read from it is hostile. */
export class GuestRpc {
  private readonly pending = new Map<string, Pending>();
  private readonly pings = new Map<number, () => void>();
  private readonly logs: LogBudget;
  private sequence = 0;
  private hostCalls = 0;
  private closed = false;

  constructor(
    private readonly socket: Duplex,
    private readonly limits: SandboxLimits,
    private readonly host: SandboxHost,
    private readonly events: RpcEvents,
  ) {
    this.logs = new LogBudget(limits.logBytesPerSecond);
    const reader = new FrameReader(limits.maxFrameBytes + 1024);
    socket.on("data", (chunk: Buffer) => this.read(reader, chunk));
    socket.on("error", () => events.onClosed());
    socket.on("end", () => events.onClosed());
  }

  get inFlight(): number {
    return this.pending.size;
  }

  send(frame: HostFrame): void {
    if (this.closed) return;
    this.socket.write(encodeFrame(frame));
    if (this.socket.writableLength > MAX_UNREAD) this.fatal("it does not read its socket");
  }

  /** Sends a call; the id is for `cancel`. */
  call(call: RuntimeCall, timeoutMs: number): { id: string; result: Promise<unknown> } {
    const id = `h${++this.sequence}`;
    const result = new Promise<unknown>((resolve, reject) => {
      this.pending.set(id, { call, resolve, reject });
    });
    this.send({ t: "call", id, call, timeoutMs });
    return { id, result };
  }

  /** Tells the guest to stop and forgets the call: a later answer is ignored. */
  cancel(id: string): void {
    this.pending.delete(id);
    this.send({ t: "cancel", id });
  }

  /** Resolves once the guest's event loop has turned. */
  ping(): Promise<void> {
    const n = ++this.sequence;
    return new Promise((resolve) => {
      this.pings.set(n, resolve);
      this.send({ t: "ping", n });
    });
  }

  /** Ends it: every call still waiting fails. */
  close(reason: string): void {
    this.closed = true;
    const lost = new SandboxError("runtime_lost", `The agent process ended: ${reason}.`, {
      sent: true,
    });
    for (const { reject } of this.pending.values()) reject(lost);
    this.pending.clear();
    this.pings.clear();
    this.socket.destroy();
  }

  private fatal(reason: string): void {
    if (this.closed) return;
    this.closed = true;
    this.events.onFatal(reason);
  }

  private read(reader: FrameReader, chunk: Buffer): void {
    if (this.closed) return;
    try {
      for (const message of reader.push(chunk)) {
        const frame = readGuestFrame(message);
        if (frame) this.onFrame(frame);
      }
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.fatal(error.message);
    }
  }

  private onFrame(frame: GuestFrame): void {
    switch (frame.t) {
      case "ready":
        this.events.onReady();
        break;
      case "initerr":
        this.events.onInitError(frame.error);
        break;
      case "res":
        this.settle(frame.id, (pending) => pending.resolve(frame.result));
        break;
      case "err":
        this.settle(frame.id, (pending) => pending.reject(callError(frame.error)));
        break;
      case "pong":
        this.pings.get(frame.n)?.();
        this.pings.delete(frame.n);
        break;
      case "hcall":
        void this.answer(frame);
        break;
      case "log":
        this.log(frame);
        break;
    }
  }

  private settle(id: string, settle: (pending: Pending) => void): void {
    const pending = this.pending.get(id);
    if (!pending) return;
    this.pending.delete(id);
    settle(pending);
  }

  private during(callId: string | undefined): RuntimeCall | undefined {
    return callId === undefined ? undefined : this.pending.get(callId)?.call;
  }

  private log({ level, text, callId }: Extract<GuestFrame, { t: "log" }>): void {
    if (!this.logs.admits(text.length)) return;
    const call = this.during(callId);
    this.host.onLog({ level, text, ...(call ? { call } : {}) });
  }

  private async answer({ id, call }: Extract<GuestFrame, { t: "hcall" }>): Promise<void> {
    if (this.hostCalls >= this.limits.maxHostCalls) {
      const message = `More than ${this.limits.maxHostCalls} host calls are running; wait for some.`;
      return this.send({ t: "hres", id, error: { code: "too_many_host_calls", message } });
    }
    this.hostCalls++;
    try {
      const result = await this.host.onHostCall(call, this.during(call.callId));
      this.send({ t: "hres", id, result: result ?? null });
    } catch (error) {
      this.send({ t: "hres", id, error: hostError(error) });
    } finally {
      this.hostCalls--;
    }
  }
}

const callError = (error: GuestError): SandboxError =>
  new SandboxError(codeOf(error), error.message, { sent: true, guestStack: error.stack });

function hostError(error: unknown): { code: string; message: string } {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === "string") return { code, message: String(message) };
  // An error without a code is ours: its text may name what the tenant must not learn.
  return { code: "internal", message: "The platform could not answer this call." };
}
