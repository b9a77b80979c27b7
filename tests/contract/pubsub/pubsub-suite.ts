import { afterEach, describe, expect, test } from "vitest";
import type { PubSub, Topic } from "../../../src/server/platform/pubsub";

/** What every pubsub must do. `open` makes one that hears the others; `cut` breaks connections. */
export function pubsubSuite(name: string, open: () => PubSub, cut: () => Promise<void>): void {
  describe(name, () => {
    const opened: PubSub[] = [];
    const make = async () => {
      const pubsub = open();
      opened.push(pubsub);
      await pubsub.start();
      return pubsub;
    };
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((pubsub) => pubsub.close()));
    });

    const heard = (pubsub: PubSub, topic: Topic, count: number) =>
      new Promise<string[]>((resolve) => {
        const ids = new Set<string>();
        pubsub.subscribe(topic, (id) => {
          ids.add(id);
          if (ids.size === count) resolve([...ids].sort());
        });
      });

    const reconnected = (pubsub: PubSub) =>
      new Promise<"reconnected">((resolve) => {
        pubsub.onReconnect(() => resolve("reconnected"));
      });

    test("carries an id to every process, the sender's too", async () => {
      const [a, b] = [await make(), await make()];
      const both = Promise.all([heard(a, "session", 1), heard(b, "session", 1)]);
      a.publish("session", "ses_1");
      expect(await both).toEqual([["ses_1"], ["ses_1"]]);
    });

    test("keeps topics apart", async () => {
      const a = await make();
      const wrong: string[] = [];
      a.subscribe("cancel", (id) => wrong.push(id));
      const right = heard(a, "turn", 1);
      a.publish("turn", "trn_1");
      await right;
      expect(wrong).toEqual([]);
    });

    test("carries a burst whole", async () => {
      const [a, b] = [await make(), await make()];
      const ids = Array.from({ length: 1_000 }, (_, i) => `ses_${String(i).padStart(26, "0")}`);
      const all = heard(b, "session", ids.length);
      for (const id of ids) a.publish("session", id);
      expect(await all).toEqual(ids);
    });

    test("an unsubscribed listener hears nothing more", async () => {
      const a = await make();
      const mine: string[] = [];
      a.subscribe("session", (id) => mine.push(id))();
      const other = heard(a, "session", 1);
      a.publish("session", "ses_1");
      await other;
      expect(mine).toEqual([]);
    });

    test("comes back after its connection broke, and says so", async () => {
      const a = await make();
      const back = reconnected(a);
      await cut();
      await back;
      const again = heard(a, "session", 1);
      // Listening may be back before sending is: what could not be sent is told as another return.
      const anew = reconnected(a);
      a.publish("session", "ses_2");
      const first = await Promise.race([again, anew]);
      if (first === "reconnected") a.publish("session", "ses_2");
      expect(await again).toEqual(["ses_2"]);
    });
  });
}
