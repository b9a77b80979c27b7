import { decodeText } from "../platform/json-safety";
import { platform } from "../platform/platform";
import type { StoredMessage } from "./read-conversation";
import type { TurnContext } from "./turn-context";
import { TurnFenced } from "./turn-error";

/**
 * Takes what the turn's own principal sent while it ran, between two steps: `message.delivered` is
 * in the log and the messages belong to the turn when this resolves, in one statement that only the
 * turn's owner can make.
 * @param step the step that is the first to see them
 * @returns them, oldest first @throws TurnFenced
 */
export async function deliverMessages(
  { claim }: TurnContext,
  step: number,
): Promise<StoredMessage[]> {
  const { pool, pubsub } = platform();
  const { rows } = await pool.query<{ delivered: { id: string; text: string }[] | null }>({
    name: "deliver_messages",
    text: "SELECT berth_deliver_messages($1, $2, $3, $4, $5) AS delivered",
    values: [claim.orgId, claim.sessionId, claim.turnId, claim.epoch, step],
  });
  const delivered = rows[0]?.delivered;
  if (!delivered) throw new TurnFenced();
  if (delivered.length > 0) pubsub.publish("session", claim.sessionId);
  return delivered.map(({ id, text }) => ({ id, text: decodeText(text), atStep: step }));
}
