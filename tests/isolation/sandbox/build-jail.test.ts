import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import type { Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { BuildJob } from "../../../src/server/sandbox";
import { requireBubblewrap, SandboxHarness } from "../../support/sandbox";

const usable = { bwrap: requireBubblewrap(), "unsafe-process": true };

describe.each(["bwrap", "unsafe-process"] as const)("%s build", (driver) => {
  describe.skipIf(!usable[driver])("jail", () => {
    let harness: SandboxHarness;
    let registry: Server;
    let port: number;
    let lines: string[];
    let jobs = 0;

    beforeAll(async () => {
      registry = createHttpServer((_request, response) => response.end("a package"));
      await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
      port = (registry.address() as { port: number }).port;
      harness = await SandboxHarness.open({
        driver,
        targets: [{ purpose: "sandbox", address: "127.0.0.1", port }],
      });
      await mkdir(join(harness.folder, "tools"));
    });
    afterAll(async () => {
      registry.close();
      await harness?.close();
    });
    beforeEach(() => {
      lines = [];
    });

    const job = async (script: string, more: Partial<BuildJob> = {}): Promise<BuildJob> => {
      const id = `b${process.pid}-${++jobs}`;
      const tools = join(harness.folder, "tools");
      await writeFile(join(tools, `${id}.cjs`), script);
      return {
        id,
        args: [`/tools/${id}.cjs`, "argument"],
        buildDir: join(harness.folder, id),
        readOnly: [{ source: tools, target: "/tools" }],
        env: { GREETING: "hello" },
        egressDomains: [],
        timeoutMs: 20_000,
        memoryMb: 300,
        onLine: (line, stream) => lines.push(`${stream}: ${line}`),
        ...more,
      };
    };
    const run = async (script: string, more?: Partial<BuildJob>) =>
      harness.driver.runBuild(await job(script, more));

    test("runs its script, streams lines and leaves files in the build folder only", async () => {
      const made = await job(
        "console.log(process.env.GREETING, process.argv[2]); console.error('oops'); require('fs').writeFileSync('out.txt', 'built'); process.exitCode = 4",
      );
      expect(await harness.driver.runBuild(made)).toMatchObject({ exitCode: 4 });
      expect(lines.toSorted()).toEqual(["stderr: oops", "stdout: hello argument"]);
      expect(await readFile(join(made.buildDir, "out.txt"), "utf8")).toBe("built");
      expect(await readdir(made.buildDir)).toEqual(["out.txt"]);
    });

    test("runs child processes", async () => {
      const result = await run(
        "console.log(require('child_process').execFileSync(process.execPath, ['-p', '6 * 7'], { encoding: 'utf8' }).trim())",
      );
      expect(result.exitCode).toBe(0);
      expect(lines).toContain("stdout: 42");
    });

    test("reaches the registry it was given, also on the operator's own machine", async () => {
      const script = `fetch("http://127.0.0.1:${port}/p").then(r => r.text()).then(console.log, e => console.log("failed", e.cause.code))`;
      await run(script, { egressDomains: [`127.0.0.1:${port}`] });
      await run(script);
      expect(lines).toEqual(["stdout: a package", "stdout: failed EACCES"]);
    });

    test("ends in time, with all it started", async () => {
      const script =
        "require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e3)']); for (;;) {}";
      expect(await run(script, { timeoutMs: 700 })).toMatchObject({
        exitCode: null,
        killed: "timeout",
      });
    });

    test("ends at its memory", async () => {
      const script = "const a = []; setInterval(() => a.push(Buffer.alloc(32 << 20, 1)), 20)";
      expect(await run(script)).toMatchObject({ exitCode: null, killed: "memory" });
    });

    test("ends when it is cancelled", async () => {
      const controller = new AbortController();
      const result = run("console.log('up'); setInterval(() => {}, 1e3)", {
        signal: controller.signal,
        onLine: () => controller.abort(),
      });
      expect(await result).toMatchObject({ exitCode: null, killed: "cancelled" });
    });

    // Only a driver that confines can promise this; of the other it is not a skipped test.
    if (driver === "bwrap") {
      test("sees no file of the host and cannot change its tools", async () => {
        await run(
          "const fs = require('fs'); for (const f of [() => fs.readFileSync('/etc/shadow'), () => fs.readdirSync('/root'), () => fs.writeFileSync('/tools/x', ''), () => fs.readdirSync('/workspace')]) try { console.log('did', f()) } catch (e) { console.log(e.code) }",
        );
        expect(lines).toEqual([
          "stdout: ENOENT",
          "stdout: ENOENT",
          "stdout: EROFS",
          "stdout: ENOENT",
        ]);
      });
    }
  });
});
