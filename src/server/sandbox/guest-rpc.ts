import type { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { encodeFrame, FrameError, FrameReader } from "../../protocol/frame";
import type { GuestError, GuestFrame, HostFrame } from "../../protocol/runtime-rpc";
import type { SandboxHost } from "./driver";
import { readGuestFrame } from "./guest-frame";
import { LargeResult, type LargeResults } from "./large-results";
import type { SandboxLimits } from "./limits";
import { LogBudget } from "./log-budget";
import { SandboxError, type SandboxErrorCode } from "./sandbox-error";

/** Bytes a guest may leave unread before it is taken for one that will not read. */
const MAX_UNREAD = 64 * 1024 * 1024;

interface Pending<Call> {
  call: Call;
  /** The guest has read the call, so its effects may have happened. */
  took: boolean;
  large: LargeResult | undefined;
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

/** How long what a dead guest had written is waited for; it is in the socket by then. */
const LAST_WORDS_MS = 250;
const LATE = "The agent process did not send the result it announced.";

const tooLarge = (bytes: number, limit: number): SandboxError =>
  new SandboxError(
    "output_too_large",
    `The result is ${bytes} bytes long; at most ${limit} are accepted.`,
    { sent: true },
  );

const codeOf = (error: GuestError): SandboxErrorCode =>
  error.code === "output_too_large" ? "output_too_large" : "sandbox_failed";

/** The worker's end of the socket to one guest. Everything read from it is hostile. */
export class GuestRpc<Init, Call> {
  private readonly pending = new Map<string, Pending<Call>>();
  private readonly pings = new Map<number, () => void>();
  private readonly logs: LogBudget;
  private sequence = 0;
  private hostCalls = 0;
  private closed = false;
  /** Settles at the end of the socket: whether everything that was written to it was read. */
  private readonly ended: Promise<boolean>;
  private broken = false;

  constructor(
    private readonly socket: Duplex,
    private readonly limits: SandboxLimits,
    private readonly host: SandboxHost<Call>,
    private readonly large: LargeResults,
    private readonly events: RpcEvents,
  ) {
    this.logs = new LogBudget(limits.logBytesPerSecond);
    const reader = new FrameReader(limits.maxFrameBytes + 1024);
    socket.on("data", (chunk: Buffer) => this.read(reader, chunk));
    this.ended = new Promise((resolve) => {
      const end = (error?: NodeJS.ErrnoException) => {
        events.onClosed();
        resolve(error === undefined || error.syscall === "read");
      };
      socket.on("error", end);
      socket.on("end", () => end());
    });
  }

  get inFlight(): number {
    return this.pending.size;
  }

  send(frame: HostFrame<Init, Call>): void {
    if (this.closed) return;
    this.socket.write(encodeFrame(frame));
    if (this.socket.writableLength > MAX_UNREAD) this.fatal("it does not read its socket");
  }

  /** Sends a call; the id is for `cancel`. */
  call(call: Call, timeoutMs: number): { id: string; result: Promise<unknown> } {
    const id = `h${++this.sequence}`;
    const result = new Promise<unknown>((resolve, reject) => {
      this.pending.set(id, { call, took: false, large: undefined, resolve, reject });
    });
    this.send({ t: "call", id, call, timeoutMs });
    return { id, result };
  }

  /**
   * Tells the guest to stop and forgets the call: a later answer is ignored. Returns whether the
   * guest had read the call.
   */
  cancel(id: string): boolean {
    const pending = this.forget(id);
    this.send({ t: "cancel", id });
    return pending?.took ?? true;
  }

  /** Resolves once the guest's event loop has turned. */
  ping(): Promise<void> {
    const n = ++this.sequence;
    return new Promise((resolve) => {
      this.pings.set(n, resolve);
      this.send({ t: "ping", n });
    });
  }

  /** Reads what a guest that is gone left in the socket, then fails every call still waiting. */
  async close(reason: string): Promise<void> {
    const all = await Promise.race([this.ended, delay(LAST_WORDS_MS, false, { ref: false })]);
    this.closed = true;
    for (const [id, { reject, took }] of [...this.pending]) {
      this.forget(id);
      // A call whose receipt is missing was not begun, if nothing of what was said is missing.
      const sent = took || !all || this.broken;
      reject(new SandboxError("runtime_lost", `The agent process ended: ${reason}.`, { sent }));
    }
    this.pings.clear();
    this.socket.destroy();
  }

  private fatal(reason: string): void {
    if (this.closed) return;
    this.closed = true;
    this.broken = true;
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
      case "took":
        this.onTook(frame.id);
        break;
      case "large":
        void this.onLarge(frame);
        break;
      case "part":
        this.onPart(frame);
        break;
      case "end":
        this.onEnd(frame.id);
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

  private settle(id: string, settle: (pending: Pending<Call>) => void): void {
    const pending = this.forget(id);
    if (pending) settle(pending);
  }

  private forget(id: string): Pending<Call> | undefined {
    const pending = this.pending.get(id);
    this.pending.delete(id);
    pending?.large?.release();
    return pending;
  }

  private onTook(id: string): void {
    const pending = this.pending.get(id);
    if (pending) pending.took = true;
  }

  /** A result too long for a frame: it may come once this worker has room for it. */
  private async onLarge({ id, bytes }: Extract<GuestFrame, { t: "large" }>): Promise<void> {
    const pending = this.pending.get(id);
    if (!pending) return;
    if (pending.large) return this.fatal("it announced a result twice");
    const { maxResultBytes } = this.limits;
    if (bytes > maxResultBytes) return this.reject(id, tooLarge(bytes, maxResultBytes));
    pending.large = new LargeResult(bytes);
    const late = () => this.reject(id, new SandboxError("sandbox_failed", LATE, { sent: true }));
    if (await pending.large.admit(this.large, late)) this.send({ t: "grant", id });
  }

  private onPart({ id, text }: Extract<GuestFrame, { t: "part" }>): void {
    const pending = this.pending.get(id);
    if (!pending) return;
    if (!pending.large?.add(text)) this.fatal("it sent a result that was not asked for");
  }

  private onEnd(id: string): void {
    const large = this.pending.get(id)?.large;
    if (!large) return;
    const value = large.value();
    this.settle(id, ({ resolve }) => resolve(value));
  }

  private reject(id: string, error: SandboxError): void {
    this.settle(id, (pending) => pending.reject(error));
  }

  private during(callId: string | undefined): Call | undefined {
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
