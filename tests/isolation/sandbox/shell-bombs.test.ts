import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { processesOf } from "../../support/processes";
import { requireBubblewrap, SandboxHarness } from "../../support/sandbox";
import { ShellHarness } from "../../support/shells";

const usable = requireBubblewrap();
const PIDS = 64;

describe.skipIf(!usable)("bombs in a session's shell", () => {
  let harness: SandboxHarness;
  let shell: ShellHarness;

  beforeAll(async () => {
    harness = await SandboxHarness.open({ driver: "bwrap" });
  });
  afterAll(() => harness?.close());
  beforeEach(async () => {
    const limits = {
      memoryMb: 300,
      pids: PIDS,
      tmpMb: 16,
      fileMb: 32,
      hangMs: 500,
      watchdogMs: 50,
    };
    shell = await ShellHarness.open(harness, { limits });
  });
  afterEach(async () => {
    await shell.shells.close();
    expect(shell.shells.stats()).toEqual([]);
    expect(processesOf(harness.folder)).toBe(0);
  });

  test("memory taken by a command ends the shell, and the next call has a new one", async () => {
    const hog = "python3 -c 'x = bytearray(400 << 20); input()' < /dev/zero";
    await expect(shell.run(hog)).rejects.toMatchObject({
      code: "runtime_lost",
      message: expect.stringMatching(/MiB memory/),
    });
    expect(await shell.run("echo again")).toBe("again\n");
  });

  test("a fork bomb stays within its limit, and leaves other sessions theirs", async () => {
    await shell.run("true", "ses_b");
    const bomb = "b() { b | b & }; b; sleep 0.5; ls -d /proc/[0-9]* | wc -l";
    const count = await shell
      .call({ kind: "shell", command: bomb }, "ses_a", 3000)
      .then((outcome) => JSON.stringify(outcome))
      .catch((error: Error) => error.message);
    expect(count).not.toMatch(/"head":"\d{4}/);
    await shell.shells.end(shell.place("ses_a"));
    expect(await shell.run("echo fine", "ses_b")).toBe("fine\n");
    expect(await shell.run("echo fine", "ses_a")).toBe("fine\n");
  });

  test.each([
    ["/tmp/x", "16777216"],
    ["/dev/shm/x", "16777216"],
    ["big", "33554432"],
  ])("%s grows to its limit only", async (path, bytes) => {
    const command = `head -c 100000000 /dev/zero > ${path}; stat -c %s ${path}`;
    expect(await shell.run(`{ ${command}; } 2>/dev/null`)).toBe(`${bytes}\n`);
  });

  const endless = { kind: "grep", pattern: "^(a+)+$" } as const;
  const endlessName = `{${"*a".repeat(20)},x}`;

  test.each([
    ["grep", endless, "The pattern, in a,"],
    ["glob", { kind: "glob", pattern: endlessName }, "The glob"],
    ["grep with a glob", { ...endless, pattern: "x", glob: endlessName }, "The glob"],
  ] as const)(
    "a pattern of %s that never ends is refused, and holds nobody",
    async (_, call, what) => {
      await shell.done({ kind: "write", path: "a", content: `${"a".repeat(60)}b` });
      await shell.done({ kind: "write", path: `${"a".repeat(200)}b`, content: "" });
      await shell.run("touch /tmp/mark");
      const refused = shell.refusal(call);
      expect(await shell.run("cat a | wc -c")).toBe("61\n");
      expect(await refused).toMatch(`${what} took longer than 5 s`);
      expect(await shell.run("ls /tmp")).toBe("mark\n");
    },
  );

  test("a pattern that never ends is ended with its call, and the shell goes on", async () => {
    await shell.done({ kind: "write", path: "a", content: `${"a".repeat(60)}b` });
    await shell.run("touch /tmp/mark");
    const late = shell.call(endless, "ses_a", 500);
    await expect(late).rejects.toMatchObject({ code: "tool_timeout" });
    expect(await shell.run("cat a | wc -c")).toBe("61\n");
    expect(await shell.run("ls /tmp")).toBe("mark\n");
  });

  test("a pattern that the engine gives up is refused, and the shell goes on", async () => {
    await shell.run("yes ab | tr -d '\\n' | head -c 15000000 > a");
    await shell.run("touch /tmp/mark");
    const pattern = "(?:.|\\s)+$x";
    expect(await shell.refusal({ kind: "grep", pattern })).toMatch(
      "The pattern, in a, cannot be used: Maximum call stack",
    );
    expect(await shell.run("ls /tmp")).toBe("mark\n");
  });

  test("a process that a command left behind ends with the shell", async () => {
    await shell.run("setsid sleep 300 > /dev/null & nohup sleep 300 > /dev/null 2>&1 & true");
    await expect.poll(() => shell.run("pgrep -c sleep")).toBe("2\n");
    await shell.shells.end(shell.place());
    expect(await shell.run("pgrep -c sleep; true")).toBe("0\n");
  });

  test("descriptors run out inside only", async () => {
    const code =
      "import os\nn = 0\ntry:\n  while True: os.open('/dev/null', 0); n += 1\nexcept OSError as e: print(e.errno, n < 1024)";
    await shell.done({ kind: "write", path: "fds.py", content: code });
    expect(await shell.run("python3 fds.py")).toBe("24 True\n");
  });
});
