import type { JsonValue } from "../../protocol/json";
import { platform } from "../platform/platform";

/** How a worker shows itself to web processes and to the readiness check. */
export interface WorkerReport {
  id: string;
  /** Path of a unix socket, or host:port, of its internal HTTP. */
  address: string;
  slots: number;
  busy: number;
  /** Versions with a process, as `org/agent/version`. */
  warm: string[];
  sandbox: JsonValue;
  build: string;
  draining: boolean;
}

const FORGOTTEN = "1 hour";

/** Says that a worker is there; to be repeated every 2 s. */
export async function reportWorker(report: WorkerReport): Promise<void> {
  await platform().pool.query({
    name: "report_worker",
    text: `INSERT INTO worker (id, address, slots, busy, warm, sandbox, build, draining)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      ON CONFLICT (id) DO UPDATE SET busy = excluded.busy, warm = excluded.warm,
        draining = excluded.draining, seen_at = now()`,
    values: [
      report.id,
      report.address,
      report.slots,
      report.busy,
      report.warm,
      JSON.stringify(report.sandbox),
      report.build,
      report.draining,
    ],
  });
}

/** Removes a worker that has ended, and those that vanished long ago. */
export async function removeWorker(id: string): Promise<void> {
  await platform().pool.query(
    `DELETE FROM worker WHERE id = $1 OR seen_at < now() - $2::interval`,
    [id, FORGOTTEN],
  );
}
