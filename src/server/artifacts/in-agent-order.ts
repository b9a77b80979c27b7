/** The last piece of work of each agent in this process. */
const last = new Map<string, Promise<void>>();

/**
 * Runs what an agent's work needs the agent's lock for, one after the other in this process. Whoever
 * waits for the lock in the database holds a connection, and one agent may tag as often as it likes.
 */
export async function inAgentOrder<T>(agentId: string, work: () => Promise<T>): Promise<T> {
  const before = last.get(agentId) ?? Promise.resolve();
  const result = before.then(work);
  const done = result.then(
    () => undefined,
    () => undefined, // told to whoever asked for it
  );
  last.set(agentId, done);
  try {
    return await result;
  } finally {
    if (last.get(agentId) === done) last.delete(agentId);
  }
}
