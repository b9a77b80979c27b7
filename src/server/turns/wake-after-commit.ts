import { platform } from "../platform/platform";
import type { Topic } from "../platform/pubsub";
import type { SqlTx } from "../platform/transaction";

/** Publishes wakes once the transaction has committed. */
export function wakeAfterCommit(tx: SqlTx, wakes: readonly (readonly [Topic, string])[]): void {
  const { pubsub } = platform();
  tx.afterCommit(() => {
    for (const [topic, id] of wakes) pubsub.publish(topic, id);
    return Promise.resolve();
  });
}
