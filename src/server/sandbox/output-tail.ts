import type { ChildProcess } from "node:child_process";
import { LogBudget } from "./log-budget";

const KEPT = 16 * 1024;

/** What a process writes to stdout and stderr itself: forwarded within the budget, its end kept. */
export class OutputTail {
  private tail = "";

  constructor(
    child: ChildProcess,
    forward: (text: string) => void,
    limits: { logBytesPerSecond: number },
  ) {
    const budget = new LogBudget(limits.logBytesPerSecond);
    const take = (chunk: Buffer) => {
      if (!budget.admits(chunk.length)) return;
      const text = chunk.toString("utf8");
      this.tail = (this.tail + text).slice(-KEPT);
      forward(text.trimEnd());
    };
    child.stdout?.on("data", take);
    child.stderr?.on("data", take);
  }

  text(): string {
    return this.tail.trim();
  }
}
