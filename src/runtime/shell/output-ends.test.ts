import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { OutputEnds } from "./output-ends";

const CHUNK = 64 * 1024;
const KEPT = 128 * 1024;

/** Bytes in buffers that something still holds. */
function heldBytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().arrayBuffers;
}

it("holds two ends of an endless output, and lets go of what is between", async () => {
  const before = heldBytes();
  const output = new OutputEnds();
  for (let sent = 0; sent < 1_000; sent++) output.add(Buffer.alloc(CHUNK, "y"));
  // The engine frees the memory of buffers that it collected on a thread of its own, a little later.
  await expect.poll(() => heldBytes() - before, { timeout: 5_000 }).toBeLessThan(32 * CHUNK);
  const { head, tail, omittedBytes } = output.output();
  expect([head.length, tail.length]).toEqual([KEPT, KEPT]);
  expect(omittedBytes).toBe(1_000 * CHUNK - 2 * KEPT);
});
