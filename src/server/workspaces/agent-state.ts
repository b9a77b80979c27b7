import { mkdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { blobBatch } from "../blobs";
import { platform } from "../platform/platform";
import { SandboxError } from "../sandbox";
import { type FoundFiles, findFiles, type Quota, type SavedFiles } from "./find-files";
import { Folder } from "./folder";
import { keepFiles } from "./keep-files";
import { readNotes, writeNotes } from "./notes";
import { type Known, restoreTree } from "./restore-tree";
import { readState, writeState } from "./state-files";
import {
  claimState,
  releaseState,
  type StateLease,
  type StateOwner,
  wantState,
} from "./state-lease";
import { withChanges } from "./with-changes";

const POLL_MS = 100;

interface Held {
  revision: number;
  saved: SavedFiles;
  known: Known;
}

/** An agent's state on one worker: restored with the lease, saved after calls, given up when wanted. */
export class AgentState {
  #held: Promise<Held> | undefined;
  #users = 0;
  #wanted = false;
  #work: Promise<unknown> = Promise.resolve();
  #usedMs = performance.now();
  readonly #told = new Set<string>();

  /** @param folder what the agent's processes on this worker have as `/state` */
  constructor(
    private readonly owner: StateOwner,
    private readonly workerId: string,
    private readonly folder: string,
    private readonly quota: Quota,
  ) {}

  /** Runs a call while this worker has the state, and saves what the call changed before it ends. */
  async during<T>(waitMs: number, signal: AbortSignal | undefined, run: () => Promise<T>) {
    await this.#enter(waitMs, signal);
    try {
      return await run();
    } finally {
      await this.#leave();
    }
  }

  /** Renews the lease; gives it up where another worker waits, or nobody used it for `idleMs`. */
  async renew(idleMs: number): Promise<void> {
    if (this.#held === undefined) return;
    await this.#inTurn(() => this.#claim());
    const isIdle = performance.now() - this.#usedMs >= idleMs;
    if (this.#wanted || isIdle) await this.release();
  }

  /** Saves and gives up the state, unless a call uses it. */
  async release(): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#users > 0 || this.#held === undefined) return;
      const saved = await this.#save();
      this.#lose();
      if (saved) await writeNotes(`${this.folder}.json`, saved.known);
      await releaseState(this.owner, this.workerId);
    });
  }

  #lose(): void {
    this.#held = undefined;
    this.#wanted = false;
  }

  async #enter(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    const untilMs = performance.now() + waitMs;
    while (!(await this.#inTurn(() => this.#take()))) {
      if (performance.now() > untilMs) {
        throw new SandboxError("sandbox_failed", "Another worker holds the agent's state.");
      }
      await wantState(this.owner, this.workerId);
      await sleep(POLL_MS, undefined, { signal });
    }
  }

  async #leave(): Promise<void> {
    try {
      if (await this.#inTurn(() => this.#save())) return;
    } finally {
      this.#users -= 1;
      this.#usedMs = performance.now();
      if (this.#wanted) await this.release();
    }
    const message = "The agent's state went to another worker while the call ran.";
    throw new SandboxError("runtime_lost", message, { sent: true });
  }

  /** Takes or renews the lease. @returns undefined while another worker has it */
  async #claim(): Promise<StateLease | undefined> {
    const held = await this.#held;
    const lease = await claimState(this.owner, this.workerId);
    // After a lapse somebody else may have had it, and given it back.
    if (lease?.revision !== held?.revision) this.#lose();
    this.#wanted = lease?.wanted ?? false;
    return lease;
  }

  /** Counts a user of the state, brought here if need be. @returns false while it is elsewhere */
  async #take(): Promise<boolean> {
    if (this.#wanted) return false; // so that whoever waits gets it between two calls
    const lease = await this.#claim();
    if (!lease) return false;
    this.#held ??= this.#restore(lease.revision);
    this.#held.catch(() => this.#lose());
    await this.#held;
    this.#users += 1;
    return true;
  }

  async #restore(revision: number): Promise<Held> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const saved = await readState(this.owner);
    const notes = await readNotes(`${this.folder}.json`);
    // Before anything was saved, what is here is all there is.
    if (revision === 0) return { revision, saved, known: notes };
    const restored = async (root: Folder) => ({
      ...{ revision, saved },
      known: await restoreTree(root, saved, notes, `${this.folder}.new`),
    });
    return await (await Folder.open(this.folder)).use(restored);
  }

  /** @returns undefined when the state went to another worker */
  async #save(): Promise<Held | undefined> {
    const held = await this.#held;
    if (!held) return undefined;
    const { saved, known, revision: before } = held;
    const { found, changes } = await (await Folder.open(this.folder)).use(async (root) => {
      const files = await findFiles(root, { saved, known, quota: this.quota });
      const blobs = blobBatch(this.owner.orgId, this.owner.agentId);
      return { found: files, changes: await keepFiles(root, files, saved, blobs) };
    });
    this.#warn(found);
    const changed = changes.files.length + changes.gone.length > 0;
    const revision = changed
      ? await writeState(this.owner, this.workerId, before, changes)
      : before;
    if (revision === undefined) {
      this.#lose();
      return undefined;
    }
    const after = { revision, saved: withChanges(saved, changes), known: found.known };
    this.#held = Promise.resolve(after);
    return after;
  }

  /** Nobody reads an answer of the state's own: the operator's log has what is not saved, once. */
  #warn({ unsaved }: FoundFiles): void {
    const untold = unsaved.filter((line) => !this.#told.has(line));
    for (const line of untold) this.#told.add(line);
    if (untold.length === 0) return;
    const some = untold.slice(0, 20);
    platform().log.warn(
      { ...this.owner, unsaved: some },
      "files of an agent's state are not saved",
    );
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#work.then(work);
    this.#work = result.catch(() => undefined);
    return result;
  }
}
