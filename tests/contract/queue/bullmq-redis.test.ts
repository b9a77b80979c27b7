import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createQueueBackend, type QueueBackend } from "../../../src/server/jobs";
import { createLogger } from "../../../src/server/platform/log";
import { RedisConnections } from "../../../src/server/platform/redis";
import { redisServerPath } from "../../support/capabilities";
import { type RedisServer, startRedis } from "../../support/redis-server";
import { queueSuite } from "./queue-suite";

const log = createLogger("test", "silent");

/** A backend on a queue of its own with connections of its own, as a process has them. */
function openQueue(url: string, prefix = `test-${randomBytes(4).toString("hex")}`): QueueBackend {
  const redis = new RedisConnections({ url, log });
  const backend = createQueueBackend({ databaseUrl: "", redis, log, prefix });
  return {
    enqueue: (...job) => backend.enqueue(...job),
    work: (handlers) => backend.work(handlers),
    healthy: () => backend.healthy(),
    async close() {
      await backend.close();
      redis.close();
    },
  };
}

const payload = (version: number) => ({ orgId: "org_1", agentId: "agt_1", version });

describe.skipIf(!redisServerPath)("with redis-server", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  queueSuite("BullMQ on Redis", () => openQueue(server.url));

  describe("BullMQ on a Redis that goes away", () => {
    const opened: QueueBackend[] = [];
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((backend) => backend.close()));
    });

    /** A queue that runs jobs, and what resolves once it has run one of a version. */
    async function working() {
      const backend = openQueue(server.url);
      opened.push(backend);
      const waiting = new Map<number, () => void>();
      await backend.work({
        "deployment.build": ({ version }) => {
          waiting.get(version)?.();
          return Promise.resolve();
        },
      });
      const ran = (version: number) =>
        new Promise<void>((resolve) => waiting.set(version, resolve));
      await answering(backend);
      return { backend, ran };
    }

    /** Resolves when the backend is connected (again). */
    async function answering(backend: QueueBackend) {
      await expect.poll(() => backend.healthy(), { timeout: 10_000 }).toBe(true);
    }

    test("takes and runs jobs again after FLUSHALL, a restart and cut connections", async () => {
      const { backend, ran } = await working();
      const events = [() => server.flush(), () => server.restart(), () => server.cut()];
      for (const [version, event] of events.entries()) {
        await event();
        await answering(backend);
        const run = ran(version);
        await backend.enqueue("deployment.build", payload(version));
        await run;
      }
    });

    test("refuses at once while there is none, says so, and closes", async () => {
      const { backend } = await working();
      await server.restart(async () => {
        await expect.poll(() => backend.healthy()).toBe(false);
        const began = performance.now();
        await expect(backend.enqueue("deployment.build", payload(1))).rejects.toThrow();
        expect(performance.now() - began).toBeLessThan(500);
        const fresh = openQueue(server.url);
        await expect(fresh.enqueue("deployment.build", payload(1))).rejects.toThrow(/away/);
        expect(await fresh.healthy()).toBe(false);
        await Promise.all([fresh.close(), ...opened.splice(0).map((each) => each.close())]);
        expect(performance.now() - began).toBeLessThan(8_000);
      });
    });

    test("begins to work once there is one", async () => {
      const backend = openQueue(server.url);
      opened.push(backend);
      let run: (version: number) => void = () => undefined;
      const ran = new Promise<number>((resolve) => {
        run = resolve;
      });
      await server.restart(() =>
        backend.work({ "deployment.build": async ({ version }) => run(version) }),
      );
      await answering(backend);
      await backend.enqueue("deployment.build", payload(5));
      expect(await ran).toBe(5);
    });

    test("fails within seconds when it answers nothing, and goes on when it does", async () => {
      const { backend, ran } = await working();
      await backend.enqueue("deployment.build", payload(1));
      process.kill(server.pid(), "SIGSTOP");
      try {
        expect(await backend.healthy()).toBe(false);
        await expect(backend.enqueue("deployment.build", payload(2))).rejects.toThrow();
      } finally {
        process.kill(server.pid(), "SIGCONT");
      }
      await answering(backend);
      const run = ran(3);
      await backend.enqueue("deployment.build", payload(3));
      await run;
    });
  });
});
