import { type ChildProcess, spawn } from "node:child_process";
import type {
  EgressDenial,
  EgressRules,
  GatewayCommand,
  GatewayReport,
  PrivateTarget,
} from "../../protocol/gateway-control";

/** A running egress gateway: one process, one unix socket per sandbox. */
export interface Gateway {
  /** Resolves once the socket listens. Rejects when it cannot. */
  serve(id: string, socketPath: string, rules: EgressRules): Promise<void>;
  /** Closes the socket and every connection made through it. */
  drop(id: string): Promise<void>;
  /** User the gateway runs as; absent when it shares this process's. */
  readonly uid: number | undefined;
  close(): Promise<void>;
}

export interface GatewayOptions {
  /** The bundled gateway process, `dist/gateway.mjs`. */
  entry: string;
  /** Private targets of purpose `sandbox`; others are ignored. */
  targets: readonly PrivateTarget[];
  /** User to run as when this process is root. */
  uid?: number;
  onDenied: (id: string, denial: EgressDenial) => void;
  /** Told the process id of each gateway that is up, the first and those after it. */
  onUp?: (pid: number) => void;
  onLog?: (line: string) => void;
}

const GATEWAY_UID = 199_999;
const START_MS = 10_000;
const RESTART_MS = 200;

interface Served {
  socketPath: string;
  rules: EgressRules;
}
interface Waiting {
  resolve: () => void;
  reject: (error: Error) => void;
}

class GatewayProcess implements Gateway {
  private child: ChildProcess | undefined;
  private up: Promise<void> = Promise.resolve();
  private closed = false;
  private readonly served = new Map<string, Served>();
  private readonly waiting = new Map<string, Waiting>();
  readonly uid: number | undefined;

  constructor(private readonly options: GatewayOptions) {
    this.uid = process.getuid?.() === 0 ? (options.uid ?? GATEWAY_UID) : undefined;
  }

  start(): Promise<void> {
    const child = spawn(process.execPath, ["--max-old-space-size=256", this.options.entry], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      // Nothing of this process's environment: it holds the database's address.
      env: { PATH: "/usr/bin:/bin" } as Record<string, string> as NodeJS.ProcessEnv,
      cwd: "/",
    });
    this.child = child;
    const log = (chunk: Buffer) => this.options.onLog?.(String(chunk).trimEnd());
    child.stdout?.on("data", log);
    child.stderr?.on("data", log);
    this.up = this.whenUp(child);
    child.on("message", (report: GatewayReport) => this.onReport(report));
    child.once("exit", () => this.onExit());
    const targets = this.options.targets.filter((target) => target.purpose === "sandbox");
    this.send({ t: "configure", targets, ...(this.uid === undefined ? {} : { uid: this.uid }) });
    return this.up;
  }

  async serve(id: string, socketPath: string, rules: EgressRules): Promise<void> {
    this.served.set(id, { socketPath, rules });
    await this.up;
    await this.ask(id, { t: "serve", id, socketPath, rules });
  }

  async drop(id: string): Promise<void> {
    if (!this.served.delete(id) || this.closed) return;
    await this.ask(id, { t: "drop", id });
  }

  async close(): Promise<void> {
    this.closed = true;
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.kill("SIGKILL");
    await gone;
  }

  private whenUp(child: ChildProcess): Promise<void> {
    const up = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error("the egress gateway did not start")),
        START_MS,
      );
      const settle = (run: () => void) => {
        clearTimeout(timer);
        run();
      };
      child.on("message", (report: GatewayReport) => {
        if (report.t !== "up") return;
        if (child.pid !== undefined) this.options.onUp?.(child.pid);
        settle(resolve);
      });
      child.once("exit", (code) =>
        settle(() => reject(new Error(`the egress gateway exited with ${code} while starting`))),
      );
      child.once("error", (error) => settle(() => reject(error)));
    });
    up.catch(() => undefined);
    return up;
  }

  private send(command: GatewayCommand): void {
    if (this.child?.connected) this.child.send(command);
  }

  private ask(id: string, command: GatewayCommand): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.get(id)?.reject(new Error("superseded by a later request to the gateway"));
      this.waiting.set(id, { resolve, reject });
      this.send(command);
    });
  }

  private onReport(report: GatewayReport): void {
    if (report.t === "denied") this.options.onDenied(report.id, report.denial);
    if (report.t === "denied" || report.t === "up") return;
    const waiting = this.waiting.get(report.id);
    this.waiting.delete(report.id);
    if (report.t === "failed") waiting?.reject(new Error(`egress gateway: ${report.message}`));
    else waiting?.resolve();
  }

  private onExit(): void {
    for (const { reject } of this.waiting.values()) reject(new Error("the egress gateway exited"));
    this.waiting.clear();
    if (!this.closed) setTimeout(() => this.restart(), RESTART_MS);
  }

  private restart(): void {
    if (this.closed) return;
    this.options.onLog?.("the egress gateway exited and is started again");
    this.start().then(
      () => {
        for (const [id, served] of this.served) this.send({ t: "serve", id, ...served });
      },
      (error: Error) => this.options.onLog?.(error.message),
    );
  }
}

/** Starts the egress gateway. It is restarted if it dies, and then serves what it served. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const gateway = new GatewayProcess(options);
  try {
    await gateway.start();
  } catch (error) {
    await gateway.close();
    throw error;
  }
  return gateway;
}
