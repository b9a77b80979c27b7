import { afterEach, describe, expect, test } from "vitest";
import type { JobHandlers, QueueBackend } from "../../../src/server/jobs";

const payload = (version: number) => ({ orgId: "org_1", agentId: "agt_1", version });

/** What every queue backend must do. `open` makes one on an empty queue of its own. */
export function queueSuite(name: string, open: () => QueueBackend): void {
  describe(name, () => {
    const opened: QueueBackend[] = [];
    const make = () => {
      const backend = open();
      opened.push(backend);
      return backend;
    };
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((backend) => backend.close()));
    });

    /** Works until `count` jobs have been seen. */
    async function collect(backend: QueueBackend, count: number, fail = (_n: number) => false) {
      const seen: number[] = [];
      await new Promise<void>((resolve, reject) => {
        const handlers: JobHandlers = {
          "deployment.build": ({ version }) => {
            seen.push(version);
            if (seen.length === count) resolve();
            if (fail(seen.length)) return Promise.reject(new Error("try again"));
            return Promise.resolve();
          },
        };
        backend.work(handlers).catch(reject);
      });
      return seen;
    }

    test("runs what was added, with its payload", async () => {
      const backend = make();
      await backend.enqueue("deployment.build", payload(1));
      await backend.enqueue("deployment.build", payload(2));
      expect((await collect(backend, 2)).sort()).toEqual([1, 2]);
    });

    test("runs a failing job again", async () => {
      const backend = make();
      await backend.enqueue("deployment.build", payload(7));
      expect(await collect(backend, 2, (n) => n === 1)).toEqual([7, 7]);
    });

    test("keeps a waiting job with one key once", async () => {
      const backend = make();
      await backend.enqueue("deployment.build", payload(1), { key: "k" });
      await backend.enqueue("deployment.build", payload(1), { key: "k" });
      await backend.enqueue("deployment.build", payload(2), { key: "other" });
      expect((await collect(backend, 2)).sort()).toEqual([1, 2]);
    });

    test("refuses a payload that is not the job's", async () => {
      const backend = make();
      const wrong = { orgId: "org_1" } as never;
      await expect(backend.enqueue("deployment.build", wrong)).rejects.toThrow();
    });

    test("says whether it answers", async () => {
      expect(await make().healthy()).toBe(true);
    });

    test("delays a job", async () => {
      const backend = make();
      const added = Date.now();
      await backend.enqueue("deployment.build", payload(1), { delayMs: 300 });
      await collect(backend, 1);
      expect(Date.now() - added).toBeGreaterThanOrEqual(290);
    });
  });
}
