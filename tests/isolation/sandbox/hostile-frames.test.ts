import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/server/sandbox";
import { requireBubblewrap, runInside, SandboxHarness } from "../../support/sandbox";

const usable = requireBubblewrap();
/** Writes raw frames to the socket, past the runtime. */
const WRITE = `const fs = require("fs");
const raw = (head, body) => { const h = Buffer.alloc(4); h.writeUInt32LE(head >>> 0); fs.writeSync(3, Buffer.concat([h, body])); };
const frame = (text) => raw(Buffer.byteLength(text), Buffer.from(text));`;

describe.skipIf(!usable)("frames that break the contract", () => {
  let harness: SandboxHarness;
  let sandbox: Sandbox;
  let hostCalls = 0;
  let mostAtOnce = 0;
  let running = 0;

  beforeAll(async () => {
    harness = await SandboxHarness.open({
      driver: "bwrap",
      limits: { hangMs: 1000, maxHostCalls: 16 },
      onHostCall: async () => {
        hostCalls++;
        running++;
        mostAtOnce = Math.max(mostAtOnce, running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        return null;
      },
    });
  });
  afterAll(() => harness?.close());
  beforeEach(async () => {
    sandbox = await harness.start();
  });
  afterEach(async () => {
    await sandbox.kill("the test is over");
  });

  test.each([
    ["a huge header", "raw(0xfffffff0, Buffer.alloc(0))", "too large"],
    ["a frame above the limit", "raw(9 << 20, Buffer.alloc(0))", "too large"],
    ["what is not JSON", "frame('{nope')", "not JSON"],
    ["what is not UTF-8", "raw(2, Buffer.from([0xff, 0xfe]))", "not JSON"],
    ["endless nesting", "frame('['.repeat(100000) + ']'.repeat(100000))", "nested"],
  ])("%s ends the process", async (_name, code, reason) => {
    const call = runInside(sandbox, `${WRITE} ${code}; await new Promise(() => {})`);
    await expect(call).rejects.toMatchObject({ code: "runtime_lost" });
    expect((await sandbox.exited).reason).toContain(reason);
  });

  test("forged and malformed frames are ignored and pollute nothing", async () => {
    const frames = [
      { t: "res", id: "h999", result: 1 },
      { t: "res", id: { a: 1 }, result: 1 },
      { t: "err", id: "h999", error: null },
      { t: "pong", n: 10_000 },
      { t: "hcall", id: 1, call: { method: "kv.get" } },
      { t: "hcall", id: "x", call: null },
      { t: "log", level: "fatal", text: "x" },
      { t: "log", level: "info", text: { toString: null } },
      { t: "nonsense" },
      null,
      [],
      7,
    ].map((frame) => JSON.stringify(frame));
    frames.push('{"t":"res","id":"__proto__","result":{"__proto__":{"polluted":1}}}');
    frames.push('{"__proto__":{"t":"ready"}}');
    const code = `${WRITE} for (const text of ${JSON.stringify(frames)}) frame(text); return "done"`;
    expect(await runInside(sandbox, code)).toBe("done");
    expect(await runInside(sandbox, "return 1")).toBe(1);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test("a flood of host calls is answered within its limit", async () => {
    hostCalls = 0;
    const code = `const all = await Promise.allSettled(Array.from({ length: 5000 }, () => ctx.host.kv.get("k"))); return all.filter(r => r.status === "rejected" && r.reason.code === "too_many_host_calls").length`;
    const refused = await runInside(sandbox, code, 20_000);
    expect(Number(refused) + hostCalls).toBe(5000);
    expect(mostAtOnce).toBeLessThanOrEqual(16);
  });

  test("a guest that does not read is ended instead of being waited for", async () => {
    const big = "x".repeat(4 << 20);
    await runInside(sandbox, "setTimeout(() => { for (;;) {} }, 10); return 1");
    const calls = Array.from({ length: 24 }, () =>
      runInside(sandbox, `return ${JSON.stringify(big)}.length`),
    );
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.every(({ status }) => status === "rejected")).toBe(true);
    expect((await sandbox.exited).reason).toContain("does not read");
  });
});
