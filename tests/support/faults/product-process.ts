import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** One process of the built product, to be ended in every way there is. */
export class ProductProcess {
  #child: ChildProcess | undefined;
  #output = "";

  constructor(
    private readonly file: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error(`${this.file} is not running`);
    return pid;
  }

  /** The last 64 KiB it has printed. */
  get output(): string {
    return this.#output;
  }

  get running(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && !this.#child.signalCode;
  }

  start(): void {
    const child = spawn(process.execPath, ["--enable-source-maps", this.file], {
      env: this.env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const collect = (chunk: Buffer) => {
      this.#output = (this.#output + chunk.toString("utf8")).slice(-65_536);
    };
    child.stdout?.on("data", collect);
    child.stderr?.on("data", collect);
    this.#child = child;
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  /** Sends a signal and waits for the end. */
  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const child = this.#child;
    if (!child || !this.running) return;
    const gone = once(child, "exit");
    if (signal !== "SIGCONT") child.kill("SIGCONT"); // a stopped process hears nothing else
    child.kill(signal);
    await gone;
  }
}
