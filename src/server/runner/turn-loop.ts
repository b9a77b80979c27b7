import { expireApprovals } from "../approvals";
import { platform } from "../platform/platform";
import type { Unsubscribe } from "../platform/pubsub";
import {
  type Claim,
  claimTurns,
  nextLeaseEnd,
  releaseTurn,
  renewLeases,
  sweepTurns,
} from "../turns";
import type { RunnerPorts } from "./ports";
import { runTurn } from "./run-turn";
import { TurnFenced } from "./turn-error";

const HEARTBEAT_MS = 3_000;
const SWEEP_MS = 2_000;
/** After a lease's end, so that the database's clock is past it. */
const LEASE_SLACK_MS = 25;

interface Held {
  claim: Claim;
  stop: AbortController;
  done: Promise<void>;
}

/** A worker's turns: claims when woken and by the clock, runs each, renews leases, obeys fences. */
export class TurnLoop {
  readonly #held = new Map<string, Held>();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #subscriptions: Unsubscribe[] = [];
  #claiming: Promise<void> | undefined;
  #earlySweep: NodeJS.Timeout | undefined;
  #again = false;
  #draining = false;

  constructor(
    private readonly workerId: string,
    private readonly slots: number,
    private readonly ports: RunnerPorts,
  ) {}

  /** Turns being run. */
  get busy(): number {
    return this.#held.size;
  }

  start(): void {
    const { pubsub } = platform();
    this.#subscriptions.push(
      pubsub.subscribe("turn", () => this.#wake()),
      pubsub.subscribe("cancel", (turnId) => void this.#guard(this.#check(turnId))),
      pubsub.onReconnect(() => this.#wake()),
    );
    this.#timers.push(
      setInterval(() => void this.#guard(this.#sweep()), SWEEP_MS),
      setInterval(() => void this.#guard(this.#renew()), HEARTBEAT_MS),
    );
    this.#wake();
  }

  /** Stops claiming; turns that end within `graceMs` do, the others go back in line. */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true;
    for (const unsubscribe of this.#subscriptions) unsubscribe();
    await this.#claiming;
    const all = Promise.all([...this.#held.values()].map(({ done }) => done));
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([all, grace]);
    clearTimeout(timer);
    await Promise.all([...this.#held.values()].map((held) => this.#handBack(held)));
    for (const interval of this.#timers) clearInterval(interval);
    clearTimeout(this.#earlySweep);
  }

  async #handBack({ claim, stop, done }: Held): Promise<void> {
    await releaseTurn(claim);
    stop.abort(new TurnFenced());
    await done;
  }

  #wake(): void {
    this.#again = true;
    this.#claiming ??= this.#guard(this.#claim()).finally(() => {
      this.#claiming = undefined;
      if (this.#again && !this.#draining) this.#wake();
    });
  }

  async #claim(): Promise<void> {
    while (this.#again && !this.#draining) {
      this.#again = false;
      const free = this.slots - this.#held.size;
      if (free <= 0) return;
      for (const claim of await claimTurns(this.workerId, free)) this.#run(claim);
    }
  }

  #run(claim: Claim): void {
    // A worker that was frozen may get back a turn whose lease it lost meanwhile.
    this.#held.get(claim.turnId)?.stop.abort(new TurnFenced());
    const stop = new AbortController();
    const done = runTurn(claim, this.ports, stop.signal)
      .catch((error) => {
        // Nobody renews the lease any more: the turn is tried again when it has run out.
        const { sessionId, turnId, attempt } = claim;
        platform().log.error({ err: error, sessionId, turnId, attempt }, "a turn broke down");
      })
      .finally(() => {
        if (this.#held.get(claim.turnId)?.claim === claim) this.#held.delete(claim.turnId);
        if (!this.#draining) this.#wake();
      });
    this.#held.set(claim.turnId, { claim, stop, done });
  }

  /** A turn was fenced somewhere; by now this worker may own its next attempt. */
  async #check(turnId: string): Promise<void> {
    const held = this.#held.get(turnId);
    if (held) await this.#renewThese([held.claim]);
  }

  #renew(): Promise<void> {
    return this.#renewThese([...this.#held.values()].map(({ claim }) => claim));
  }

  async #renewThese(claims: Claim[]): Promise<void> {
    for (const lost of await renewLeases(this.workerId, claims)) {
      const current = this.#held.get(lost.turnId);
      if (current?.claim === lost) current.stop.abort(new TurnFenced());
    }
  }

  async #sweep(): Promise<void> {
    await Promise.all([sweepTurns(), expireApprovals()]);
    this.#wake();
    // A lease that ends before the next sweep is nobody's any more: its turn need not wait for it.
    const endsIn = await nextLeaseEnd();
    if (endsIn === undefined || endsIn <= 0 || endsIn >= SWEEP_MS || this.#draining) return;
    clearTimeout(this.#earlySweep);
    this.#earlySweep = setTimeout(() => void this.#guard(this.#sweep()), endsIn + LEASE_SLACK_MS);
  }

  #guard(work: Promise<void>): Promise<void> {
    return work.catch((error) => {
      platform().log.warn({ err: error }, "the turn loop will try again");
    });
  }
}
