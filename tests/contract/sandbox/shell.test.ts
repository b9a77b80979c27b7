import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { requireBubblewrap, SandboxHarness } from "../../support/sandbox";
import { ShellHarness } from "../../support/shells";

describe.each(["bwrap", "unsafe-process"] as const)("%s driver", (driver) => {
  const usable = driver === "unsafe-process" || requireBubblewrap();
  describe.skipIf(!usable)("a session's shell", () => {
    let harness: SandboxHarness;
    let shell: ShellHarness;

    beforeAll(async () => {
      harness = await SandboxHarness.open({ driver });
      shell = await ShellHarness.open(harness);
    });
    afterAll(async () => {
      await shell?.shells.close();
      await harness?.close();
    });
    beforeEach(async () => {
      await shell.run("find . -mindepth 1 -delete");
    });

    const write = (path: string, content: string) => shell.done({ kind: "write", path, content });
    const text = async (path: string) => {
      const { content } = await shell.done<"read">({ kind: "read", path });
      return content.type === "text" ? content.text : content.type;
    };

    describe("files", () => {
      test("what is written is read, with the folders above it", async () => {
        expect(await write("a/b/c.txt", "grüße\n")).toEqual({
          ...{ ok: true, kind: "write", changed: true, created: true, bytes: 8 },
        });
        expect(await write("a/b/c.txt", "less\n")).toMatchObject({ created: false });
        expect(await text("a/b/c.txt")).toBe("less");
        expect(await shell.run("cat a/b/c.txt; stat -c %a a/b/c.txt")).toBe("less\n644\n");
      });

      test("writing keeps a file's mode", async () => {
        await shell.run("echo old > run.sh && chmod 755 run.sh");
        await write("run.sh", "new");
        expect(await shell.run("stat -c %a run.sh")).toBe("755\n");
      });

      test("lines are asked for by number and counted", async () => {
        await write("n.txt", Array.from({ length: 3000 }, (_, i) => `line ${i + 1}`).join("\n"));
        const read = { kind: "read", path: "n.txt" } as const;
        expect(await shell.done({ ...read, offset: 11, limit: 2 })).toMatchObject({
          changed: false,
          content: {
            ...{ type: "text", text: "line 11\nline 12", firstLine: 11 },
            ...{ lineCount: 2, totalLines: 3000, truncated: true },
          },
        });
        expect(await shell.done(read)).toMatchObject({
          content: { lineCount: 2000, totalLines: 3000, truncated: true },
        });
        expect(await shell.done({ ...read, offset: 2999 })).toMatchObject({
          content: { text: "line 2999\nline 3000", lineCount: 2 },
        });
        expect(await shell.done({ ...read, offset: 4000 })).toMatchObject({
          content: { text: "", lineCount: 0, totalLines: 3000 },
        });
      });

      test("an empty file has no lines, a short one is not cut", async () => {
        await write("empty", "");
        await write("two", "a\n\n");
        const read = (path: string) => shell.done<"read">({ kind: "read", path });
        expect(await read("empty")).toMatchObject({
          content: { text: "", totalLines: 0, truncated: false },
        });
        expect(await read("two")).toMatchObject({
          content: { text: "a\n", totalLines: 2, lineCount: 2, truncated: false },
        });
      });

      test("a large text is cut to a megabyte, a long line to its start", async () => {
        await shell.run(
          "yes abcdefghi | head -n 300000 > big; head -c 200000 /dev/zero | tr '\\0' x > long",
        );
        const big = await shell.done<"read">({ kind: "read", path: "big", limit: 300_000 });
        expect(big.content).toMatchObject({ totalLines: 300_000, truncated: true });
        const kept = (big.content as { text: string }).text.length;
        expect(kept).toBeGreaterThan(1024 * 1024 - 16);
        expect(kept).toBeLessThan(1024 * 1024 + 16);
        const long = await shell.done<"read">({ kind: "read", path: "long" });
        expect(long.content).toMatchObject({ totalLines: 1, lineCount: 1, truncated: true });
        expect((long.content as { text: string }).text).toHaveLength(64 * 1024);
      });

      test("a binary file is said to be one, an image comes whole up to its limit", async () => {
        await shell.run("head -c 100 /dev/zero > zero; printf 'a\\xff\\xfeb' > latin");
        expect(await text("zero")).toBe("binary");
        expect(await text("latin")).toBe("binary");
        const png = "89504e470d0a1a0a00";
        await shell.run(`printf '${png.replaceAll(/../g, "\\x$&")}' > i.png`);
        const image = await shell.done<"read">({ kind: "read", path: "i.png" });
        expect(image.content).toEqual({
          ...{ type: "image", mimeType: "image/png", bytes: 9 },
          base64: Buffer.from(png, "hex").toString("base64"),
        });
        await shell.run("truncate -s 5M i.png");
        expect(await text("i.png")).toBe("image");
        await shell.run("truncate -s 5242881 i.png");
        expect(await shell.refusal({ kind: "read", path: "i.png" })).toContain("5242881 bytes");
      });

      test("an edit replaces text that is there exactly once, or all of it", async () => {
        await write("e.txt", "\ufeffone two\r\ntwo three\r\n");
        const edit = { kind: "edit", path: "e.txt" } as const;
        const once = { ...edit, oldText: "one two\r\n", newText: "$& 1\r\n" };
        expect(await shell.done(once)).toMatchObject({ replacements: 1, changed: true });
        expect(await shell.refusal({ ...edit, oldText: "four", newText: "x" })).toContain(
          "not in e.txt",
        );
        await shell.done({ ...edit, oldText: "$& 1", newText: "two" });
        expect(await shell.refusal({ ...edit, oldText: "two", newText: "2" })).toContain("2 times");
        const all = { ...edit, oldText: "two", newText: "2", all: true };
        expect(await shell.done(all)).toMatchObject({ replacements: 2 });
        expect(await shell.run("cat e.txt")).toBe("\ufeff2\r\n2 three\r\n");
      });

      test("an edit that means nothing, or would damage the file, is refused", async () => {
        await shell.run("printf 'a\\xff' > latin");
        const edit = { kind: "edit", path: "latin", oldText: "a", newText: "b" } as const;
        expect(await shell.refusal(edit)).toContain("not a text file");
        expect(await shell.refusal({ ...edit, oldText: "" })).toContain("empty");
        expect(await shell.refusal({ ...edit, newText: "a" })).toContain("the same");
        expect(await shell.refusal({ ...edit, path: "none" })).toBe("none does not exist.");
      });

      test("what is no file is told apart", async () => {
        await shell.run("mkdir folder; mkfifo pipe; ln -s nowhere dangling; ln -s loop loop");
        const read = (path: string) => shell.refusal({ kind: "read", path });
        expect(await read("none")).toBe("none does not exist.");
        expect(await read("folder")).toBe("folder is a folder.");
        expect(await read("pipe")).toBe("pipe is neither a file nor a folder.");
        expect(await read("dangling")).toBe("dangling is a link to nothing.");
        expect(await read("loop")).toContain("chain of links");
        const inPipe = { kind: "write", path: "pipe", content: "" } as const;
        expect(await shell.refusal(inPipe)).toContain("neither a file nor a folder");
        const below = { kind: "write", path: "pipe/x", content: "" } as const;
        expect(await shell.refusal(below)).toContain("not a folder");
      });

      test("paths stay in the workspace, however they are written", async () => {
        await shell.run(
          "mkdir in; ln -s in good; ln -s /etc bad; ln -s ../../.. up; ln -s /nowhere/x gone",
        );
        await write("good/f", "x");
        expect(await text("in/f")).toBe("x");
        const root = (await shell.run("pwd")).trim();
        expect(await text(`${root}/in/../in/f`)).toBe("x");
        for (const path of ["../x", "/etc/passwd", "in/../../x", `${root}x/f`, "/"]) {
          expect(await shell.refusal({ kind: "read", path })).toContain("outside the workspace");
        }
        for (const path of ["bad/passwd", "bad", "up/etc/passwd"]) {
          const leaves = `${path} is a link that leaves the workspace.`;
          expect(await shell.refusal({ kind: "read", path })).toBe(leaves);
          expect(await shell.refusal({ kind: "write", path, content: "" })).toBe(leaves);
        }
        const gone = { kind: "write", path: "gone", content: "" } as const;
        expect(await shell.refusal(gone)).toBe("gone is a link to nothing.");
        expect(await shell.refusal({ kind: "read", path: "a\0b" })).toContain("NUL");
      });

      test("a folder's entries come by name, with their types", async () => {
        await shell.run("echo hi > b; mkdir a; ln -s b c; mkfifo d");
        const { entries, truncated } = await shell.done<"ls">({ kind: "ls" });
        expect(entries.map(({ name, type }) => `${name} ${type}`)).toEqual([
          ...["a folder", "b file", "c link", "d other"],
        ]);
        expect(entries[1]).toEqual({ name: "b", type: "file", bytes: 3 });
        expect(truncated).toBe(false);
        expect(await shell.refusal({ kind: "ls", path: "b" })).toContain("not a folder");
      });

      test("a folder of more entries than are shown says so", async () => {
        await shell.run("mkdir many; cd many; touch $(seq 1 1001)");
        const ls = await shell.done<"ls">({ kind: "ls", path: "many" });
        expect([ls.entries.length, ls.truncated]).toEqual([1000, true]);
        await shell.run("rm many/1001");
        const all = await shell.done<"ls">({ kind: "ls", path: "many" });
        expect([all.entries.length, all.truncated]).toEqual([1000, false]);
      });
    });

    describe("searching", () => {
      beforeEach(async () => {
        await shell.run(
          "mkdir -p src/deep .git node_modules/x; echo 'const A = 1' > src/a.ts; echo 'const b = a' > src/deep/b.ts; echo A > src/c.md; echo A > .git/A; echo A > node_modules/x/i.js; ln -s / src/root; printf 'A\\0' > src/bin",
        );
      });
      const glob = async (pattern: string, path?: string) =>
        (await shell.done<"glob">({ kind: "glob", pattern, ...(path ? { path } : {}) })).paths;

      test("glob knows its wildcards, and leaves out what nobody wrote", async () => {
        expect(await glob("**/*.ts")).toEqual(["src/a.ts", "src/deep/b.ts"]);
        expect(await glob("*.ts")).toEqual([]);
        expect(await glob("*.ts", "src")).toEqual(["src/a.ts"]);
        expect(await glob("src/[a-c].{ts,md}")).toEqual(["src/a.ts", "src/c.md"]);
        expect(await glob("src/[!a].??")).toEqual(["src/c.md"]);
        expect(await glob("node_modules/**")).toEqual(["node_modules/x/i.js"]);
        expect(await shell.refusal({ kind: "glob", pattern: "{a" })).toContain("without its }");
      });

      test("glob stops at its limit and says so", async () => {
        await shell.run("mkdir many; cd many; touch $(seq 1 1001)");
        const many = await shell.done<"glob">({ kind: "glob", pattern: "many/*" });
        expect([many.paths.length, many.truncated]).toEqual([1000, true]);
        await shell.run("rm many/1");
        const all = await shell.done<"glob">({ kind: "glob", pattern: "many/*" });
        expect([all.paths.length, all.truncated]).toEqual([1000, false]);
      });

      test("grep finds lines in text files, by name if asked", async () => {
        const grep = { kind: "grep", pattern: "\\bA\\b" } as const;
        expect((await shell.done<"grep">(grep)).matches).toEqual([
          { path: "src/a.ts", line: 1, text: "const A = 1" },
          { path: "src/c.md", line: 1, text: "A" },
        ]);
        const insensitive = { ...grep, ignoreCase: true, glob: "*.ts" };
        expect((await shell.done<"grep">(insensitive)).matches).toHaveLength(2);
        const one = await shell.done<"grep">({ ...insensitive, maxMatches: 1 });
        expect([one.matches.length, one.truncated]).toEqual([1, true]);
        const exact = await shell.done<"grep">({ ...insensitive, maxMatches: 2 });
        expect([exact.matches.length, exact.truncated]).toEqual([2, false]);
        const file = await shell.done<"grep">({ ...grep, path: "src/c.md" });
        expect(file.matches).toEqual([{ path: "src/c.md", line: 1, text: "A" }]);
        expect(await shell.refusal({ kind: "grep", pattern: "(" })).toContain("cannot be read");
        expect(await shell.refusal({ ...grep, path: "none" })).toBe("none does not exist.");
      });
    });

    describe("commands", () => {
      test("both outputs come in their order, with how it ended", async () => {
        const command = "for i in 1 2 3; do echo out $i; echo err $i >&2; done; exit 3";
        expect(await shell.done({ kind: "shell", command })).toMatchObject({
          changed: true,
          output: {
            ...{ head: "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n", tail: "", omittedBytes: 0 },
          },
          end: { exitCode: 3, signal: null, timedOut: false },
        });
        const killed = await shell.done<"shell">({ kind: "shell", command: "kill -9 $$" });
        expect(killed.end).toMatchObject({ exitCode: null, signal: "SIGKILL", timedOut: false });
      });

      test("it is bash, with nothing on its input, in the folder asked for", async () => {
        await shell.run("mkdir sub");
        const command = "[[ a == a ]] && echo $BASH; cat; pwd";
        const { output } = await shell.done<"shell">({ kind: "shell", command, cwd: "sub" });
        expect(output.head).toMatch(/bash\n.*\/sub\n$/);
        expect(await shell.refusal({ kind: "shell", command, cwd: "none" })).toContain(
          "not a folder",
        );
        expect(await shell.refusal({ kind: "shell", command, cwd: ".." })).toContain("outside");
      });

      test("commands run at once, and one does not hold up another", async () => {
        const wait = shell.run("while [ ! -e go ]; do sleep 0.01; done; echo went");
        expect(await shell.run("touch go; echo here")).toBe("here\n");
        expect(await wait).toBe("went\n");
      });

      test("at its time limit a command ends with all of its group, and its output stays", async () => {
        const command = "echo $$ > pid; echo before; sleep 300 & sleep 300";
        const late = await shell.done<"shell">({ kind: "shell", command, timeoutMs: 2000 });
        expect(late).toMatchObject({
          output: { head: "before\n" },
          end: { exitCode: null, signal: "SIGKILL", timedOut: true },
        });
        expect(late.end.durationMs).toBeGreaterThanOrEqual(2000);
        const group = 'ps -e -o pgid=,stat= | grep -v Z | grep -c "^ *$(cat pid) "';
        await expect.poll(() => shell.run(`${group}; true`)).toBe("0\n");
      });

      test("an abort ends a command, and its call is cancelled", async () => {
        const controller = new AbortController();
        const command = "echo $$ > pid; sleep 300";
        const call = shell.shells.call(
          shell.place(),
          { kind: "shell", command },
          { timeoutMs: 20_000, signal: controller.signal },
        );
        const cancelled = expect(call).rejects.toMatchObject({ code: "cancelled" });
        await expect.poll(() => shell.run("cat pid 2>/dev/null; true")).toMatch(/^\d+\n$/);
        controller.abort();
        await cancelled;
        const alive = 'ps -o stat= -p "$(cat pid)" | grep -vc Z; true';
        await expect.poll(() => shell.run(alive)).toBe("0\n");
      });

      test("a background process is not waited for, and lives on", async () => {
        const startedAt = performance.now();
        expect(await shell.run("(while :; do date > beat; sleep 0.05; done) & echo started")).toBe(
          "started\n",
        );
        expect(performance.now() - startedAt).toBeLessThan(5000);
        await shell.run("rm -f beat");
        await expect.poll(() => shell.run("cat beat 2>/dev/null | wc -l")).toBe("1\n");
        await shell.run("pkill -f 'date > beat'; true");
      });

      test("what a command left behind ends with the shell", async () => {
        await shell.run("(while :; do date > beat; sleep 0.05; done) & true");
        await expect.poll(() => shell.run("cat beat 2>/dev/null | wc -l")).toBe("1\n");
        await shell.shells.end(shell.place());
        await shell.run("rm -f beat; sleep 0.3");
        expect(await shell.run("ls")).toBe("");
      });

      test("of a flood the two ends are kept, at whole characters", async () => {
        const kept = 128 * 1024;
        const print = (count: number) => `head -c ${count} /dev/zero | tr '\\0' x; echo`;
        const whole = await shell.done<"shell">({ kind: "shell", command: print(2 * kept - 1) });
        expect(whole.output).toMatchObject({ tail: "", omittedBytes: 0 });
        expect(whole.output.head).toHaveLength(2 * kept);
        const more = await shell.done<"shell">({ kind: "shell", command: print(2 * kept) });
        expect(more.output.omittedBytes).toBe(1);
        expect(more.output.head.length + more.output.tail.length).toBe(2 * kept);
        const command = "echo first; yes äöü | head -c 50000001; echo; echo last";
        const { output } = await shell.done<"shell">({ kind: "shell", command });
        expect(output.head).toMatch(/^first\näöü\n/);
        expect(output.tail).toMatch(/\nlast\n$/);
        expect(output.head + output.tail.slice(0, -10)).not.toContain("\ufffd");
        const bytes = Buffer.byteLength(output.head + output.tail) + output.omittedBytes;
        expect(Math.abs(bytes - 50_000_013)).toBeLessThan(8);
      });

      test("a command too long for the system is refused with what to do", async () => {
        const command = `echo ${"x".repeat(200_000)}`;
        expect(await shell.refusal({ kind: "shell", command })).toContain("put it into a file");
      });
    });

    describe("scripts", () => {
      const script = (path: string, stdin: unknown = {}, more: object = {}) =>
        shell.done<"script">({ kind: "script", path, stdin: JSON.stringify(stdin), ...more });

      test.each([
        ["bash by its name", "tools/plain", 'read -r line; echo "got $line"'],
        [
          "its first line",
          "tools/py",
          "#!/usr/bin/env python3\nimport sys\nprint('got', sys.stdin.read())",
        ],
        ["the ending .py", "tools/a.py", "import sys\nprint('got', sys.stdin.read())"],
        [
          "the ending .mjs",
          "tools/a.mjs",
          "for await (const c of process.stdin) console.log('got', String(c))",
        ],
      ])("is run as %s says, with JSON as its input", async (_what, path, content) => {
        await write(path, content);
        const { stdout, stderr, end } = await script(path, { a: "ä" });
        expect(stdout.trim()).toBe('got {"a":"ä"}');
        expect(stderr.head).toBe("");
        expect(end).toMatchObject({ exitCode: 0, timedOut: false });
      });

      test("its result is its stdout alone, and its exit code is told", async () => {
        await write("t", "echo result; echo noise >&2; exit 4");
        const { stdout, stderr, end } = await script("t");
        expect([stdout, stderr.head, end.exitCode]).toEqual(["result\n", "noise\n", 4]);
      });

      test("it need not read its input, has a time limit and must be there", async () => {
        await write("t", "echo done");
        expect((await script("t", "x".repeat(1 << 20))).stdout).toBe("done\n");
        await write("slow", "echo part; sleep 300");
        const slow = await script("slow", {}, { timeoutMs: 2000 });
        expect(slow).toMatchObject({ stdout: "part\n", end: { timedOut: true } });
        const run = (path: string) => shell.refusal({ kind: "script", path, stdin: "" });
        expect(await run("none")).toBe("none does not exist.");
        expect(await run("../none")).toContain("outside");
        await write("odd", "#!/no/such/program\n");
        expect(await run("odd")).toContain("no such program");
      });
    });
  });
});
