import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/server/sandbox";
import {
  callTool,
  requireBubblewrap,
  runInside,
  SandboxHarness,
  toolCall,
} from "../../support/sandbox";
import { ShellHarness } from "../../support/shells";

const usable = requireBubblewrap();
const MIB = 1024 * 1024;
/** Writes raw frames to the socket, past the runtime. */
const WRITE = `const fs = require("fs");
const frame = (message) => { const b = Buffer.from(JSON.stringify(message)), h = Buffer.alloc(4); h.writeUInt32LE(b.length); fs.writeSync(3, Buffer.concat([h, b])); };`;
const HANG = "await new Promise(() => {})";

/** Bytes of the JSON around a string that a tool returns. */
const AROUND = JSON.stringify({
  outcome: "returned",
  result: "",
  isError: false,
  effect: "write",
}).length;

describe.skipIf(!usable)("results larger than a frame", () => {
  let harness: SandboxHarness;
  let sandbox: Sandbox;

  beforeAll(async () => {
    harness = await SandboxHarness.open({ driver: "bwrap" });
  });
  afterAll(() => harness?.close());
  beforeEach(async () => {
    sandbox = await harness.start();
  });
  afterEach(async () => {
    await sandbox.kill("the test is over");
  });

  const sized = (bytes: number) =>
    runInside(sandbox, `return "x".repeat(${bytes - AROUND})`, 60_000);

  test.each([
    ["a frame's size", 8 * MIB],
    ["one byte more than a frame", 8 * MIB + 1],
    ["the limit of results", 64 * MIB],
  ])("of %s come whole", async (_what, bytes) => {
    const text = (await sized(bytes)) as string;
    expect(text.length).toBe(bytes - AROUND);
    expect(/^x*$/.test(text)).toBe(true);
  });

  test("of one byte more than the limit are refused, and the process goes on", async () => {
    await expect(sized(64 * MIB + 1)).rejects.toMatchObject({
      code: "output_too_large",
      sent: true,
      message: expect.stringContaining(`${64 * MIB + 1} bytes`),
    });
    expect(await runInside(sandbox, "return 1")).toBe(1);
  });

  test("pieces are cut between characters, whatever these are", async () => {
    const piece = 'a"\\\n😀é\u0000\ud800';
    const code = `return ${JSON.stringify(piece)}.repeat(600000)`;
    expect(await runInside(sandbox, code, 60_000)).toBe(piece.repeat(600_000));
  });

  test("a shell's file and a script's result come whole up to the limit", async () => {
    const shell = await ShellHarness.open(harness);
    const script = async (bytes: number) => {
      await shell.done({
        kind: "write",
        path: "big",
        content: `head -c ${bytes} /dev/zero | tr '\\0' x`,
      });
      return shell.call({ kind: "script", path: "big", stdin: "" }, "ses_a", 60_000);
    };
    expect(await script(20 * MIB)).toMatchObject({ ok: true, stdout: "x".repeat(20 * MIB) });
    await expect(script(64 * MIB + 1)).rejects.toMatchObject({ code: "output_too_large" });
    await expect(script(64 * MIB)).rejects.toMatchObject({ code: "output_too_large" });
    expect(await shell.run("echo on")).toBe("on\n");
    await shell.shells.close();
  });

  test("only so many are on their way at once; the others wait and come too", async () => {
    const others = await Promise.all([1, 2, 3].map((n) => harness.start(`org/large-${n}`)));
    const order: string[] = [];
    // Two that were let in and say no more hold both places until their calls are over.
    const stuck = others.slice(0, 2).map(async (other) => {
      const code = `${WRITE} frame({ t: "large", id: "h1", bytes: 9e6 }); ${HANG}`;
      await expect(runInside(other, code, 8000)).rejects.toMatchObject({ code: "tool_timeout" });
      order.push("stuck");
    });
    await Promise.all(others.slice(0, 2).map((other) => runInside(other, "return 1")));
    const code = `return "x".repeat(${9 * MIB})`;
    const waited = runInside(others[2] as Sandbox, code, 30_000).then((text) => {
      order.push("waited");
      return text;
    });
    expect(((await waited) as string).length).toBe(9 * MIB);
    expect(order[0]).toBe("stuck");
    await Promise.all(stuck);
    await Promise.all(others.map((other) => other.kill("the test is over")));
  });

  test.each([
    ["a piece nobody asked for", `frame({ t: "part", id: "h1", text: "x" })`, "not asked for"],
    [
      "an announcement twice",
      `frame({ t: "large", id: "h1", bytes: 9 }); frame({ t: "large", id: "h1", bytes: 9 })`,
      "announced a result twice",
    ],
  ])("%s ends the process", async (_name, code, reason) => {
    const call = runInside(sandbox, `${WRITE} ${code}; ${HANG}`);
    await expect(call).rejects.toMatchObject({ code: "runtime_lost", sent: true });
    expect((await sandbox.exited).reason).toContain(reason);
  });

  test.each([
    [
      "more than was announced",
      `frame({ t: "part", id: "h1", text: "x".repeat(10) })`,
      "not asked",
    ],
    ["less than was announced", `frame({ t: "end", id: "h1" })`, "shorter than announced"],
    [
      "what is not JSON",
      `frame({ t: "part", id: "h1", text: "{".repeat(9) }); frame({ t: "end", id: "h1" })`,
      "not JSON",
    ],
  ])("%s ends the process", async (_name, code, reason) => {
    // The grant is taken off the socket by the runtime; it comes before the timer's turn.
    const announced = `frame({ t: "large", id: "h1", bytes: 9 }); await ctx.host.kv.get("k").catch(() => 1);`;
    const call = runInside(sandbox, `${WRITE} ${announced} ${code}; ${HANG}`);
    await expect(call).rejects.toMatchObject({ code: "runtime_lost" });
    expect((await sandbox.exited).reason).toContain(reason);
  });

  test("frames for a large result of a call that is not there are ignored", async () => {
    const frames = ["large", "part", "end", "took"].map(
      (t) => `frame({ t: "${t}", id: "h999", bytes: 9, text: "x" });`,
    );
    expect(await runInside(sandbox, `${WRITE} ${frames.join(" ")} return "done"`)).toBe("done");
  });

  test("an announcement above the limit fails its call only", async () => {
    const code = `${WRITE} frame({ t: "large", id: "h1", bytes: ${64 * MIB + 1} }); ${HANG}`;
    await expect(runInside(sandbox, code)).rejects.toMatchObject({ code: "output_too_large" });
    expect(await callTool(sandbox, "echo", 1)).toMatchObject({ result: 1 });
  });

  test("a large result of a cancelled call is not sent", async () => {
    const controller = new AbortController();
    const made = toolCall("run", {
      code: `await new Promise((r) => ctx.signal.addEventListener("abort", r)); return "x".repeat(${9 * MIB})`,
    });
    const call = sandbox.call(made, { timeoutMs: 20_000, signal: controller.signal });
    const cancelled = expect(call).rejects.toMatchObject({ code: "cancelled" });
    await runInside(sandbox, "return 1");
    controller.abort();
    await cancelled;
    expect(await runInside(sandbox, "return 1")).toBe(1);
  });
});
