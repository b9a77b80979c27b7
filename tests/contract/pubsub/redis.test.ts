import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLogger } from "../../../src/server/platform/log";
import type { PubSub } from "../../../src/server/platform/pubsub";
import { createRedisPubSub } from "../../../src/server/platform/pubsub-redis";
import { RedisConnections } from "../../../src/server/platform/redis";
import { redisServerPath } from "../../support/capabilities";
import { type RedisServer, startRedis } from "../../support/redis-server";
import { pubsubSuite } from "./pubsub-suite";

const log = createLogger("test", "silent");

/** A pubsub with connections of its own, as a process has them. */
function openPubSub(url: string, prefix: string): PubSub {
  const redis = new RedisConnections({ url, log });
  const pubsub = createRedisPubSub({ redis, log, prefix });
  return {
    start: () => pubsub.start(),
    publish: (topic, id) => pubsub.publish(topic, id),
    subscribe: (topic, listener) => pubsub.subscribe(topic, listener),
    onReconnect: (listener) => pubsub.onReconnect(listener),
    flush: () => pubsub.flush(),
    async close() {
      await pubsub.close();
      redis.close();
    },
  };
}

describe.skipIf(!redisServerPath)("with redis-server", () => {
  const prefix = `test-${randomBytes(4).toString("hex")}`;
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  pubsubSuite(
    "PUBLISH/SUBSCRIBE",
    () => openPubSub(server.url, prefix),
    () => server.cut(),
  );

  test("starts without a Redis, and says when wakes can be heard", async () => {
    let pubsub: PubSub | undefined;
    const heard = new Promise<void>((resolve) => {
      server
        .restart(async () => {
          pubsub = openPubSub(server.url, prefix);
          pubsub.onReconnect(resolve);
          await pubsub.start();
        })
        .catch(() => undefined);
    });
    await heard;
    const again = new Promise<string>((resolve) => pubsub?.subscribe("turn", resolve));
    pubsub?.publish("turn", "trn_1");
    expect(await again).toBe("trn_1");
    await pubsub?.close();
  });

  test("tells everybody to look when a sender's wakes were lost", async () => {
    const listener = openPubSub(server.url, prefix);
    await listener.start();
    const told = new Promise<void>((resolve) => {
      listener.onReconnect(resolve);
    });
    // A sender that never had a connection loses its wakes; the listener's connection stays whole.
    const sender = openPubSub(server.url, prefix);
    sender.publish("session", "ses_1");
    await sender.flush();
    await sender.start();
    await told;
    await Promise.all([listener.close(), sender.close()]);
  });

  test("databases of one Redis hear nothing of each other", async () => {
    const [a, b] = [openPubSub(`${server.url}/1`, prefix), openPubSub(`${server.url}/2`, prefix)];
    await Promise.all([a.start(), b.start()]);
    const wrong: string[] = [];
    a.subscribe("turn", (id) => wrong.push(id));
    const right = new Promise<string>((resolve) => b.subscribe("turn", resolve));
    b.publish("turn", "trn_1");
    await right;
    const mine = new Promise<string>((resolve) => a.subscribe("cancel", resolve));
    a.publish("cancel", "trn_2");
    await mine;
    expect(wrong).toEqual([]);
    await Promise.all([a.close(), b.close()]);
  });
});
