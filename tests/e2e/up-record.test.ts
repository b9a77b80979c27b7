import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canSandbox } from "../support/capabilities";
import { type Product, startProduct } from "../support/product";

const SOON = { timeout: 30_000 };

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!canSandbox)("up.json", () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct();
  });
  afterAll(() => product?.stop());

  /** Kills one of the processes and waits until the record names a living successor of each. */
  async function replaced(killed: "worker" | "gateway", names: ("worker" | "gateway")[]) {
    const before = await product.pids();
    process.kill(before[killed] as number, "SIGKILL");
    for (const name of names) {
      const successor = async () => {
        const pid = (await product.pids())[name];
        return pid !== before[name] && isAlive(pid);
      };
      await expect.poll(successor, SOON).toBe(true);
    }
  }

  test("names the gateway that took a killed one's place", async () => {
    await replaced("gateway", ["gateway"]);
  });

  test("names the worker and the gateway that took a killed worker's place", async () => {
    await replaced("worker", ["worker", "gateway"]);
    const answer = async () => (await fetch(`${product.url}/readyz`)).status;
    await expect.poll(answer, SOON).toBe(200);
  });
});
