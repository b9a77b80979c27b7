import type { HostFrame } from "../protocol/runtime-rpc";
import type { Send } from "./channel";
import { CodedError } from "./coded-error";
import { guestError } from "./guest-error";
import { jsonPieces } from "./json-pieces";

export interface RunningCall {
  id: string;
  /** Aborted when the worker gives the call up. */
  signal: AbortSignal;
  timeoutMs: number;
}

export interface ResultLimits {
  maxFrameBytes: number;
  maxResultBytes: number;
}

type CallFrame<Call> = Extract<HostFrame<never, Call>, { t: "call" | "cancel" | "grant" }>;

/** Bytes that one UTF-16 unit may take once it is escaped in JSON text, and that text in JSON again. */
const GROWTH = 8;

/** Runs the worker's calls, several at once, and sends back what each returned or threw. */
export class CallServer<Call> {
  private readonly running = new Map<string, AbortController>();
  private readonly waiting: { call: Call; running: RunningCall }[] = [];
  private readonly granted = new Map<string, () => void>();

  constructor(
    private readonly send: Send,
    private readonly answer: (call: Call, running: RunningCall) => Promise<unknown>,
    private readonly limits: () => ResultLimits,
  ) {}

  onFrame(frame: CallFrame<Call>): void {
    switch (frame.t) {
      case "call":
        this.take(frame);
        return;
      case "cancel":
        this.running.get(frame.id)?.abort();
        this.granted.get(frame.id)?.();
        return;
      case "grant":
        this.granted.get(frame.id)?.();
        return;
    }
  }

  private take({ id, call, timeoutMs }: Extract<CallFrame<Call>, { t: "call" }>): void {
    const controller = new AbortController();
    this.running.set(id, controller);
    this.waiting.push({ call, running: { id, signal: controller.signal, timeoutMs } });
    if (this.waiting.length === 1) this.startNext();
  }

  /**
   * A call starts only once the worker can know that it did, and after the one before it came to
   * its first pause: should that never come, the worker has the others run elsewhere.
   */
  private startNext(): void {
    const next = this.waiting[0];
    if (!next) return;
    this.send({ t: "took", id: next.running.id }, () => {
      void this.serve(next.call, next.running);
      setImmediate(() => {
        this.waiting.shift();
        this.startNext();
      });
    });
  }

  private async serve(call: Call, running: RunningCall): Promise<void> {
    const { id, signal } = running;
    try {
      if (signal.aborted) return;
      await this.sendResult(id, await this.answer(call, running), signal);
    } catch (thrown) {
      this.send({ t: "err", id, error: guestError(thrown) });
    } finally {
      this.running.delete(id);
    }
  }

  private async sendResult(id: string, result: unknown, signal: AbortSignal): Promise<void> {
    const { maxFrameBytes, maxResultBytes } = this.limits();
    const pieces = () => jsonPieces(result, Math.floor(maxFrameBytes / GROWTH));
    let bytes = 0;
    for (const piece of pieces()) bytes += Buffer.byteLength(piece);
    if (bytes <= maxFrameBytes) {
      this.send({ t: "res", id, result });
      return;
    }
    if (bytes > maxResultBytes) {
      const message = `The result is ${bytes} bytes long; at most ${maxResultBytes} are accepted.`;
      throw new CodedError("output_too_large", message);
    }
    if (signal.aborted) return;
    await this.whenGranted(id, bytes);
    await this.sendParts(id, pieces(), signal);
  }

  /** Resolves once the worker has room for a large result, or does not want it any more. */
  private async whenGranted(id: string, bytes: number): Promise<void> {
    const granted = new Promise<void>((resolve) => this.granted.set(id, resolve));
    this.send({ t: "large", id, bytes });
    await granted;
    this.granted.delete(id);
  }

  private async sendParts(id: string, pieces: Iterable<string>, signal: AbortSignal) {
    for (const text of pieces) {
      if (signal.aborted) return;
      // One piece at a time: the socket would otherwise hold a second copy of everything.
      await new Promise<void>((resolve) => this.send({ t: "part", id, text }, resolve));
    }
    if (!signal.aborted) this.send({ t: "end", id });
  }
}
