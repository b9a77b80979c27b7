import { createHash } from "node:crypto";
import { platform } from "../platform/platform";
import { type AgentRef, refKey } from "./agent-ref";

export interface WorkerPlace {
  id: string;
  /** Path of a unix socket, or host:port. */
  address: string;
}

const FRESH_MS = 1_000;

/** The workers that were seen lately, asked at most once a second. */
export class WorkerDirectory {
  #known: { at: number; workers: Promise<WorkerPlace[]> } | undefined;

  /** Workers for a version, the best first: the same for everybody who asks. */
  async ranked(ref: AgentRef): Promise<WorkerPlace[]> {
    const key = refKey(ref);
    const workers = await this.#workers();
    return workers
      .map((worker) => ({ worker, score: score(key, worker.id) }))
      .sort((a, b) => (a.score < b.score ? 1 : -1))
      .map(({ worker }) => worker);
  }

  /** Forgets what was read, after a worker did not answer. */
  forget(): void {
    this.#known = undefined;
  }

  #workers(): Promise<WorkerPlace[]> {
    const at = performance.now();
    if (this.#known && at - this.#known.at < FRESH_MS) return this.#known.workers;
    const workers = readWorkers();
    this.#known = { at, workers };
    workers.catch(() => this.forget());
    return workers;
  }
}

const score = (key: string, workerId: string): string =>
  createHash("sha256").update(`${key} ${workerId}`).digest("hex");

async function readWorkers(): Promise<WorkerPlace[]> {
  const { rows } = await platform().pool.query<WorkerPlace>(
    `SELECT id, address FROM worker
     WHERE NOT draining AND seen_at > now() - interval '5 seconds'`,
  );
  return rows;
}
