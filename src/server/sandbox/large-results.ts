import { decodeText, FrameError } from "../../protocol/frame";

const AT_ONCE = 2;
/** How long a guest may take to send a result once it may. */
const TRANSFER_MS = 30_000;

/** Large results on their way into this worker: few at a time, so that its memory stays bounded. */
export class LargeResults {
  private free = AT_ONCE;
  private readonly waiting: (() => void)[] = [];

  /** Waits for a place. The answer gives it back. */
  async acquire(): Promise<() => void> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    return () => {
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    };
  }
}

/** One result that comes in pieces, from its announcement to its last byte. */
export class LargeResult {
  private readonly parts: string[] = [];
  private received = 0;
  private state: "waiting" | "admitted" | "over" = "waiting";
  private giveBack: (() => void) | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly bytes: number) {}

  /** Waits for a place; `false` if the result is not wanted any more by then. */
  async admit(places: LargeResults, onLate: () => void): Promise<boolean> {
    const giveBack = await places.acquire();
    if (this.state === "over") {
      giveBack();
      return false;
    }
    this.giveBack = giveBack;
    this.state = "admitted";
    this.timer = setTimeout(onLate, TRANSFER_MS).unref();
    return true;
  }

  /** Takes the next piece; `false` if it was not to come, or is more than was announced. */
  add(text: string): boolean {
    this.received += Buffer.byteLength(text);
    if (this.state !== "admitted" || this.received > this.bytes) return false;
    this.parts.push(text);
    return true;
  }

  /** The whole result. Throws FrameError if it is not what was announced. */
  value(): unknown {
    if (this.received !== this.bytes) throw new FrameError("a result is shorter than announced");
    return decodeText(this.parts.join(""));
  }

  /** Gives its place back; for whenever the call is over. */
  release(): void {
    if (this.state === "over") return;
    this.state = "over";
    clearTimeout(this.timer);
    this.giveBack?.();
  }
}
