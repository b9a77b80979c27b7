import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/server/sandbox";
import { requireBubblewrap, runInside, SandboxHarness } from "../../support/sandbox";

const usable = requireBubblewrap();
const CALL_MS = 1500;

/** Processes that still run as this user; bombs are over only when there are none. */
function processesOf(uid: number | undefined): number {
  if (uid === undefined) return 0;
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      // What ended and waits for the machine's init to notice runs nothing any more.
      return new RegExp(`^Uid:\\s+${uid}\\b`, "m").test(status) && !/^State:\s+Z/m.test(status);
    } catch {
      return false;
    }
  }).length;
}

describe.skipIf(!usable)("bombs", () => {
  let harness: SandboxHarness;
  let sandbox: Sandbox;

  beforeAll(async () => {
    harness = await SandboxHarness.open({
      driver: "bwrap",
      hostPrograms: true,
      limits: { memoryMb: 300, pids: 64, tmpMb: 32, hangMs: 500, watchdogMs: 50, openFiles: 512 },
    });
  });
  afterAll(() => harness?.close());

  const start = async () => {
    sandbox = await harness.start(`org/bomb-${Math.random()}`);
  };
  const detonate = (code: string) => runInside(sandbox, code, CALL_MS);

  test.each([
    ["an endless loop", "for (;;) {}"],
    ["a catastrophic pattern", "/^(a+)+$/.test('a'.repeat(40) + 'b')"],
    ["a wait that never ends", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)"],
  ])("%s fails its call in time and its process dies", async (_name, code) => {
    await start();
    await expect(detonate(code)).rejects.toMatchObject({ code: "tool_timeout" });
    expect((await sandbox.exited).reason).toContain("event loop is blocked");
    expect(processesOf(sandbox.uid)).toBe(0);
  });

  test.each([
    ["the JavaScript heap", "const a = []; for (;;) a.push(new Array(1e5).fill(Math.random()))"],
    [
      "buffers",
      "const a = []; for (;;) { a.push(Buffer.alloc(16 << 20, 1)); await new Promise(r => setImmediate(r)) }",
    ],
    ["buffers without a pause", "const a = []; for (;;) a.push(Buffer.alloc(16 << 20, 1))"],
    [
      "WebAssembly memory",
      "const m = new WebAssembly.Memory({ initial: 1, maximum: 65536 }); for (;;) { m.grow(256); new Uint8Array(m.buffer).fill(1) }",
    ],
    [
      "child processes",
      "for (let i = 0; i < 10; i++) require('child_process').spawn('perl', ['-e', '$x = \"a\" x (100 << 20); sleep 20'], { stdio: 'ignore' }); await new Promise(() => {})",
    ],
    [
      "a child of a worker thread",
      "const { Worker } = require('worker_threads'); new Worker(`require('child_process').spawn('perl', ['-e', '$x = \"a\" x (400 << 20); sleep 20'], { stdio: 'ignore' }); setInterval(() => {}, 1e3)`, { eval: true }); await new Promise(() => {})",
    ],
  ])("memory taken by %s ends the process", async (_name, code) => {
    await start();
    await expect(runInside(sandbox, code, 20_000)).rejects.toMatchObject({ code: "runtime_lost" });
    await sandbox.exited;
    expect(processesOf(sandbox.uid)).toBe(0);
  });

  test.each(["/tmp", "/dev/shm"])("%s is full at its size", async (folder) => {
    await start();
    const code = `const fs = require("fs"), b = Buffer.alloc(1 << 20), f = fs.openSync("${folder}/x", "w"); let n = 0; try { for (; n < 100; n++) fs.writeSync(f, b) } catch (e) { return [n, e.code] } return [n]`;
    expect(await runInside(sandbox, code, 10_000)).toEqual([32, "ENOSPC"]);
    await sandbox.kill("the test is over");
  });

  test("nothing else in memory can be written", async () => {
    await start();
    const code = `const o = []; for (const d of ["/dev", "/", "/run", "/opt", "/workspace"]) try { require("fs").writeFileSync(d + "/bomb", "x"); o.push(d) } catch {} return o`;
    const written = (await runInside(sandbox, code)) as string[];
    expect(written.filter((folder) => folder !== "/workspace")).toEqual([]);
    await sandbox.kill("the test is over");
  });

  test.each([
    [
      "a shell",
      "require('child_process').spawn('/bin/sh', ['-c', ':(){ :|:& };:'], { stdio: 'ignore' })",
    ],
    [
      "perl",
      "require('child_process').spawn('perl', ['-e', 'while (1) { fork }'], { stdio: 'ignore' })",
    ],
  ])("a fork bomb of %s stays within its limit and none survives", async (_name, code) => {
    await start();
    const count = `${code}; await new Promise(r => setTimeout(r, 700)); return require("fs").readdirSync("/proc").filter(x => /^\\d+$/.test(x)).length`;
    const processes = await runInside(sandbox, count, 10_000).catch(() => 0);
    expect(processes).toBeLessThanOrEqual(64);
    await sandbox.kill("the test is over");
    expect(processesOf(sandbox.uid)).toBe(0);
  });

  test("descriptors run out inside only", async () => {
    await start();
    const code =
      "const fs = require('fs'); let n = 0; try { for (;; n++) fs.openSync('/dev/null') } catch (e) { return e.code }";
    expect(await runInside(sandbox, code)).toBe("EMFILE");
    await sandbox.kill("the test is over");
  });

  test("a flood of log lines is cut", async () => {
    await start();
    const before = harness.logs.length;
    await runInside(
      sandbox,
      "for (let i = 0; i < 2e4; i++) console.log('x'.repeat(1000)); return 1",
      15_000,
    );
    await runInside(
      sandbox,
      "for (let i = 0; i < 2e3; i++) process.stdout.write('y'.repeat(1000)); return 1",
      15_000,
    );
    const bytes = harness.logs.slice(before).reduce((sum, { text }) => sum + text.length, 0);
    expect(bytes).toBeLessThan(1024 * 1024);
    await sandbox.kill("the test is over");
  });

  test.each([
    ["process.exit", "process.exit(7)", "exited with 7"],
    ["process.abort", "process.abort()", ""],
    ["closing the socket", "require('fs').closeSync(3); await new Promise(() => {})", ""],
  ])("%s fails the call cleanly", async (_name, code, reason) => {
    await start();
    const call = detonate(code);
    await expect(call).rejects.toMatchObject({
      code: expect.stringMatching(/runtime_lost|tool_timeout/),
    });
    if (reason) expect((await sandbox.exited).reason).toContain(reason);
    await sandbox.kill("the test is over");
    expect(processesOf(sandbox.uid)).toBe(0);
  });
});
