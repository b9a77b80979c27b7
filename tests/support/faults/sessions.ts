import type { SessionEvent } from "../../../src/protocol/event";
import type { Farm } from "./farm";

const ENDS: ReadonlySet<string> = new Set(["turn.completed", "turn.failed"]);

/** Opens a session of the fault agent. @returns its id */
export async function begin(farm: Farm, message: string): Promise<string> {
  const { sessionId } = await farm.client.agent(farm.org, farm.agent).createSession({ message });
  return sessionId;
}

/** Follows a session from its start to the end of its first turn; `at` is told of each event. */
export async function follow(
  farm: Farm,
  sessionId: string,
  at: (event: SessionEvent) => Promise<void> | void = () => undefined,
): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const event of farm.client.agent(farm.org, farm.agent).events(sessionId)) {
    events.push(event);
    await at(event);
    if (ENDS.has(event.type)) return events;
  }
  return events;
}

/** A request to the agent's own API, past the client's retries. */
export const ask = (farm: Farm, path: string, init: RequestInit = {}, url = farm.url) =>
  fetch(`${url}/${farm.org}/${farm.agent}/v1${path}`, {
    ...init,
    headers: {
      authorization: `Bearer ${farm.apiKey}`,
      "content-type": "application/json",
      ...init.headers,
    },
  });
