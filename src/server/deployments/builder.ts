import { platform } from "../platform/platform";
import type { BuildPorts } from "./build-deployment";
import { buildDeployment } from "./build-deployment";
import { type BuildLease, claimBuild, LeaseLost, releaseBuild, renewLease } from "./build-lease";

const RENEW_MS = 4_000;
const SWEEP_MS = 2_000;

/** Builds of this worker: takes what waits, one to `slots` at a time, and keeps their leases. */
export class Builder {
  readonly #ports: BuildPorts;
  readonly #slots: number;
  readonly #running = new Map<AbortController, Promise<void>>();
  #claiming: Promise<void> | undefined;
  #again = false;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;
  #unsubscribe: (() => void)[] = [];

  constructor(ports: BuildPorts, options: { slots?: number } = {}) {
    this.#ports = ports;
    this.#slots = options.slots ?? 2;
  }

  /** Looks for builds whenever one was announced, and every 2 s whatever was heard. */
  start(): void {
    const { pubsub } = platform();
    this.#unsubscribe = [
      pubsub.subscribe("deployment", () => void this.wake()),
      pubsub.onReconnect(() => void this.wake()),
    ];
    this.#timer = setInterval(() => void this.wake(), SWEEP_MS);
    void this.wake();
  }

  /** Claims builds while there are free slots. */
  wake(): Promise<void> {
    this.#again = true;
    this.#claiming ??= this.#claimAll().finally(() => {
      this.#claiming = undefined;
    });
    return this.#claiming;
  }

  /** Stops claiming, gives running builds back, and resolves when they have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#claiming;
    for (const stop of this.#running.keys()) stop.abort(new Error("the worker is closing"));
    await Promise.all(this.#running.values());
  }

  async #claimAll(): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false;
      while (!this.#closed && this.#running.size < this.#slots) {
        const lease = await claimBuild().catch((error) => {
          platform().log.warn({ err: error }, "builds could not be claimed");
          return undefined;
        });
        if (!lease) break;
        this.#begin(lease);
      }
    }
  }

  #begin(lease: BuildLease): void {
    const stop = new AbortController();
    const running = this.#run(lease, stop).finally(() => {
      this.#running.delete(stop);
      void this.wake();
    });
    this.#running.set(stop, running);
  }

  async #run(lease: BuildLease, stop: AbortController): Promise<void> {
    const renewal = setInterval(() => {
      renewLease(lease).catch((error) => {
        if (error instanceof LeaseLost) stop.abort(error);
      });
    }, RENEW_MS);
    try {
      await buildDeployment(lease, this.#ports, stop);
    } catch (error) {
      await giveBack(lease, error);
    } finally {
      clearInterval(renewal);
    }
  }
}

/** Lets another attempt begin at once, unless it has begun already. */
async function giveBack(lease: BuildLease, error: unknown): Promise<void> {
  if (error instanceof LeaseLost) return;
  const { log } = platform();
  log.error({ err: error, agentId: lease.agentId, version: lease.version }, "a build broke off");
  await releaseBuild(lease).catch((failure) =>
    log.warn({ err: failure }, "its lease will run out"),
  );
}
