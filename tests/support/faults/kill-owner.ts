import type { Farm } from "./farm";

/** Kills the worker that owns a session's turn, and starts it again. @returns when it died */
export async function killOwner(farm: Farm, sessionId: string): Promise<number> {
  const [row] = await farm.sql<{ address: string }>(
    `SELECT w.address FROM turn t JOIN worker w ON w.id = t.worker_id
     WHERE t.session_id = $1 AND t.status = 'running'`,
    [sessionId],
  );
  const owner = farm.workers.find((_, i) => row?.address.endsWith(`worker-${i}.sock`));
  if (!owner) throw new Error("no worker owns the turn");
  await owner.end("SIGKILL");
  const killedAt = performance.now();
  owner.start();
  return killedAt;
}
