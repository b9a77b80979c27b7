import { format } from "node:util";
import { callStore } from "./call-store";
import type { Send } from "./channel";

type Level = "info" | "warn" | "error";

const MAX_LINE = 16_384;
const METHODS = {
  log: "info",
  info: "info",
  debug: "info",
  warn: "warn",
  error: "error",
  trace: "error",
} as const satisfies Record<string, Level>;

/** Sends log lines to the worker, at most so many bytes a second; the rest is counted and said. */
export class LogFrames {
  private windowStart = 0;
  private used = 0;
  private dropped = 0;

  constructor(
    private readonly send: Send,
    private readonly bytesPerSecond: number,
  ) {}

  write(level: Level, line: string): void {
    const text = line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
    this.openWindow();
    if (this.used + text.length > this.bytesPerSecond) {
      this.dropped++;
      return;
    }
    this.used += text.length;
    const callId = callStore.getStore()?.callId;
    this.send({ t: "log", level, text, ...(callId === undefined ? {} : { callId }) });
  }

  private openWindow(): void {
    const now = performance.now();
    if (now - this.windowStart < 1000) return;
    this.windowStart = now;
    this.used = 0;
    if (this.dropped === 0) return;
    const text = `${this.dropped} log lines were dropped: more than ${this.bytesPerSecond} bytes in a second`;
    this.dropped = 0;
    this.send({ t: "log", level: "warn", text });
  }
}

/** Makes the console write log frames. */
export function captureConsole(logs: LogFrames): void {
  for (const [method, level] of Object.entries(METHODS)) {
    Object.assign(console, {
      [method]: (...parts: unknown[]) => logs.write(level, format(...parts)),
    });
  }
}
