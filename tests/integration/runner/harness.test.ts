import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { SessionEvent } from "../../../src/protocol/event";
import type { Manifest, ToolManifest } from "../../../src/protocol/manifest";
import type { RuntimeCall } from "../../../src/protocol/runtime-rpc";
import type { ShellCall, ShellOutcome } from "../../../src/protocol/shell-rpc";
import { AppError } from "../../../src/server/platform/errors";
import type { TurnLoop } from "../../../src/server/runner";
import { SandboxError } from "../../../src/server/sandbox";
import { createSession } from "../../../src/server/turns";
import { type ScriptedStep, scriptText } from "../../support/scripted-model/script";
import {
  type ScriptedModel,
  startScriptedModel,
} from "../../support/scripted-model/start-scripted-model";
import { manifestWith, type SeededAgent, seedAgent } from "../../support/seed-agent";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";
import { type HarnessOptions, startLoop, untilWaiting } from "../../support/turn-harness";

let berth: TestPlatform;
let model: ScriptedModel;
let agent: SeededAgent;
let loop: TurnLoop | undefined;

beforeAll(async () => {
  berth = await startTestPlatform();
  model = await startScriptedModel();
});
afterEach(async () => {
  await loop?.drain(5_000);
  loop = undefined;
});
afterAll(async () => {
  await model.stop();
  await berth.stop();
});

type Answer = (call: ShellCall) => ShellOutcome;
type Gate = (call: RuntimeCall) => unknown;

const refuse: Answer = (call) => {
  throw new Error(`unexpected ${call.kind}`);
};
const invoking = (gate: Gate): Pick<HarnessOptions, "invoke"> => ({
  invoke: (call) => Promise.resolve().then(() => gate(call)),
});

async function start(
  change: Partial<Manifest>,
  answer: Answer = refuse,
  more: Partial<HarnessOptions> = {},
) {
  const manifest = manifestWith(change);
  agent = await seedAgent(berth, manifest);
  const shell: HarnessOptions["shell"] = (call) => Promise.resolve().then(() => answer(call));
  loop = startLoop({ manifest, model, shell, ...more });
}

async function run(steps: ScriptedStep[], dryRun = false): Promise<SessionEvent[]> {
  const message = scriptText(...steps);
  const sent = await createSession(agent.ctx, { agentId: agent.agentId, message, dryRun });
  return await untilWaiting(agent.orgId, sent.sessionId);
}

const ofType = <T extends SessionEvent["type"]>(events: SessionEvent[], type: T) =>
  events.filter((event): event is Extract<SessionEvent, { type: T }> => event.type === type);
/** In the order in which the calls were asked for. */
function results(events: SessionEvent[]) {
  const finished = ofType(events, "action.result").map(({ data }) => data);
  const asked = ofType(events, "actions.requested").flatMap(({ data }) => data.calls);
  return asked.map(({ callId }) => finished.find((result) => result.callId === callId)!);
}
const calling = (...calls: [name: string, input: unknown][]): ScriptedStep[] => [
  { calls: calls.map(([name, input]) => ({ name, input })) },
  { text: "done" },
];
const toolNames = () =>
  (model.requests.at(-1)?.tools ?? []).map(
    (tool) => (tool as { function: { name: string } }).function.name,
  );

type AnswerOf<K extends ShellCall["kind"]> = Extract<ShellOutcome, { kind: K }>;
const text = (content: Partial<Extract<AnswerOf<"read">["content"], { type: "text" }>>) =>
  ({
    ...{ ok: true, kind: "read", changed: false },
    content: {
      ...{ type: "text", text: "", firstLine: 1, lineCount: 0, totalLines: 0, truncated: false },
      ...content,
    },
  }) satisfies ShellOutcome;

test("files are read with line numbers, a part at a time", async () => {
  const calls: ShellCall[] = [];
  await start({}, (call) => {
    calls.push(call);
    if (call.kind !== "read") throw new Error("unexpected call");
    if (call.path === "none.md") return { ok: false, message: "There is no file none.md." };
    if (call.path === "big.txt") {
      const lines = Array.from({ length: 2_000 }, () => "x".repeat(99));
      const known = { lineCount: 2_000, totalLines: 5_000, truncated: true };
      return text({ text: lines.join("\n"), ...known });
    }
    return text({ text: "one\ntwo", lineCount: 2, totalLines: 2 });
  });
  const events = await run(
    calling(
      ["read", { path: "a.md" }],
      ["read", { path: "big.txt", offset: 1, limit: 2_000 }],
      ["read", { path: "none.md" }],
      ["read", { path: "a.md", offset: 0 }],
    ),
  );
  const [small, big, none, wrong] = results(events);
  expect(small).toMatchObject({ isError: false, result: "1\tone\n2\ttwo" });
  expect(String(big!.result).length).toBeLessThanOrEqual(32 * 1024);
  expect(big!.result).toMatch(/\[Lines 1 to (\d+) of 5000\. Go on with offset \d+\.\]$/);
  expect(none).toMatchObject({ isError: true, result: "There is no file none.md." });
  expect(wrong).toMatchObject({ isError: true });
  expect(wrong!.result).toContain("offset");
  expect(calls).toHaveLength(3);
});

test("an image reaches the model as an image, other bytes as their number", async () => {
  await start({}, (call) =>
    call.kind === "read" && call.path === "a.png"
      ? {
          ...{ ok: true, kind: "read", changed: false },
          content: { type: "image", base64: "aGk=", mimeType: "image/png", bytes: 2 },
        }
      : {
          ...{ ok: true, kind: "read", changed: false },
          content: { type: "binary", bytes: 77 },
        },
  );
  const [image, binary] = results(
    await run(calling(["read", { path: "a.png" }], ["read", { path: "a.bin" }])),
  );
  expect(image!.result).toEqual({
    content: [{ type: "image", data: "aGk=", mimeType: "image/png" }],
  });
  expect(binary).toMatchObject({ isError: true, result: "a.bin is no text: 77 bytes." });
});

test("what is found is listed, and a program's end is told", async () => {
  const output = (head: string) => ({ head, tail: "", omittedBytes: 0 });
  const ok = { ok: true, changed: false } as const;
  const end = { exitCode: 0, signal: null, timedOut: false, durationMs: 5 };
  await start({}, (call): ShellOutcome => {
    switch (call.kind) {
      case "ls": {
        const folder = { name: "docs", type: "folder", bytes: 0 } as const;
        const file = { name: "a.md", type: "file", bytes: 3 } as const;
        return { ...ok, kind: "ls", entries: [folder, file], truncated: true };
      }
      case "glob":
        return { ...ok, kind: "glob", paths: [], truncated: false };
      case "grep":
        return {
          ...{ ...ok, kind: "grep", truncated: false },
          matches: [{ path: "a.md", line: 3, text: "hit" }],
        };
      case "shell":
        return call.command === "sleep 9"
          ? {
              ...{ ...ok, kind: "shell", changed: true },
              output: output(""),
              end: { ...end, exitCode: null, signal: "SIGKILL", timedOut: true },
            }
          : {
              ...{ ...ok, kind: "shell", changed: true },
              output: output("boom\n"),
              end: { ...end, exitCode: call.command === "true" ? 0 : 3 },
            };
      default:
        throw new Error("unexpected call");
    }
  });
  const events = await run(
    calling(
      ["ls", {}],
      ["glob", { pattern: "*.x" }],
      ["grep", { pattern: "h.t", ignoreCase: true }],
      ["shell", { command: "true" }],
      ["shell", { command: "false" }],
      ["shell", { command: "sleep 9", timeoutMs: 5 }],
    ),
  );
  expect(results(events).map(({ isError, result }) => [isError, result])).toEqual([
    [false, "docs/\na.md\t3 bytes\n[There is more than these 2: narrow it down.]"],
    [false, "No file matches."],
    [false, "a.md:3: hit"],
    [false, "boom\n"],
    [true, "boom\nExit code 3."],
    [true, "It was stopped at its time limit, after 5 ms."],
  ]);
});

test("tools of agent.ts filter the harness alone, and a tool of the project goes before it", async () => {
  const authored: ToolManifest = {
    ...{ name: "grep", file: "bot/tools/grep.ts", description: "ours", execution: "server" },
    ...{ effect: "read", needsApproval: "never", timeArgs: [], timeoutMs: 1_000 },
  };
  await start({});
  await run([{ text: "hi" }]);
  expect(toolNames()).toEqual(["read", "write", "edit", "ls", "glob", "grep", "shell"]);
  await loop?.drain(5_000);
  await start({ harnessTools: [], tools: [authored] });
  await run([{ text: "hi" }]);
  expect(toolNames()).toEqual(["grep"]);
  await loop?.drain(5_000);
  await start({ harnessTools: ["read", "grep"], tools: [authored] }, refuse, {
    invoke: () =>
      Promise.resolve({ outcome: "returned", result: "from the project", isError: false }),
  });
  const [result] = results(await run(calling(["grep", {}])));
  expect(toolNames()).toEqual(["grep", "read"]);
  expect(result!.result).toBe("from the project");
});

const scripted: ToolManifest = {
  ...{ name: "count", file: "bot/tools/count.ts", description: "count", execution: "agent" },
  ...{ script: "#!/bin/sh\nwc -c", effect: "read", needsApproval: "never", timeArgs: [] },
  timeoutMs: 9_000,
};

test("an agent tool gets its input on standard input, and what it prints is the result", async () => {
  const asked: ShellCall[] = [];
  await start(
    { tools: [scripted] },
    (call) => {
      asked.push(call);
      if (call.kind !== "script") throw new Error("unexpected call");
      const fails = call.stdin.includes("bad");
      return {
        ...{ ok: true, kind: "script", changed: true },
        stdout: call.stdin.includes("json") ? '{"n":4}' : "plain\n",
        stderr: { head: fails ? "no such thing\n" : "", tail: "", omittedBytes: 0 },
        end: { exitCode: fails ? 2 : 0, signal: null, timedOut: false, durationMs: 1 },
      };
    },
    invoking((call) => {
      if (call.kind !== "gate") throw new Error("unexpected call");
      const { of } = call.input as { of: string };
      return of === "wrong"
        ? { outcome: "invalid_input", message: "No.", issues: [{ path: "of", message: "wrong" }] }
        : { outcome: "open", effect: "read", needsApproval: false, input: { of, more: 1 } };
    }),
  );
  const events = await run(
    calling(
      ["count", { of: "json" }],
      ["count", { of: "text" }],
      ["count", { of: "bad" }],
      ["count", { of: "wrong" }],
    ),
  );
  expect(results(events).map(({ isError, result }) => [isError, result])).toEqual([
    [false, { n: 4 }],
    [false, "plain"],
    [true, "no such thing\nExit code 2."],
    [true, "No.\nof: wrong"],
  ]);
  expect(asked[0]).toEqual({
    ...{ kind: "script", path: ".berth/tools/count", stdin: '{"of":"json","more":1}' },
    ...{ timeoutMs: 9_000, egress: true },
  });
});

test("in a dry run files are worked on, and programs run only to read, without egress", async () => {
  const asked: ShellCall[] = [];
  const effects = { a: "read", b: "write" } as const;
  await start(
    { tools: [scripted] },
    (call) => {
      asked.push(call);
      if (call.kind === "write") {
        return { ok: true, kind: "write", changed: true, created: true, bytes: 1 };
      }
      return {
        ...{ ok: true, kind: "script", changed: false, stdout: "1" },
        stderr: { head: "", tail: "", omittedBytes: 0 },
        end: { exitCode: 0, signal: null, timedOut: false, durationMs: 1 },
      };
    },
    invoking((call) => {
      if (call.kind !== "gate") throw new Error("unexpected call");
      const { of } = call.input as { of: "a" | "b" };
      const effect = effects[of];
      return { outcome: "open", effect, needsApproval: false, input: call.input };
    }),
  );
  const events = await run(
    calling(
      ["write", { path: "a", content: "x" }],
      ["shell", { command: "rm -rf ." }],
      ["count", { of: "a" }],
      ["count", { of: "b" }],
    ),
    true,
  );
  expect(results(events).map(({ result, stubbed }) => [result, stubbed])).toEqual([
    ["Created a: 1 bytes.", undefined],
    ["Operation acknowledged.", true],
    [1, undefined],
    ["Operation acknowledged.", true],
  ]);
  expect(asked.map((call) => [call.kind, "egress" in call ? call.egress : undefined])).toEqual([
    ["write", undefined],
    ["script", false],
  ]);
});

test("a workspace that cannot be opened ends the turn, and one without calls is not opened", async () => {
  let opened = 0;
  const workspace: HarnessOptions["workspace"] = () => ({
    ready: () => {
      opened++;
      return Promise.reject(new AppError("workspace_unavailable", "The disk is full."));
    },
    joined: () => undefined,
    save: (write) => write({}),
    close: () => Promise.resolve(),
  });
  await start({}, refuse, { workspace });
  await run([{ text: "hi" }]);
  expect(opened).toBe(0);
  const events = await run(calling(["ls", {}]));
  expect(ofType(events, "turn.failed")[0]!.data.error).toEqual({
    ...{ code: "workspace_unavailable", message: "The disk is full." },
  });
});

test("changes are saved with the result of the call that made them, one after the other", async () => {
  const saved: string[] = [];
  let saving = 0;
  let queue: Promise<unknown> = Promise.resolve();
  const workspace: HarnessOptions["workspace"] = () => ({
    ready: () => Promise.resolve(),
    joined: () => undefined,
    save: (write) => {
      const next = queue.then(() => {
        saving++;
        return write({ note: `[${saving} not saved]` });
      });
      queue = next.catch(() => undefined);
      return next;
    },
    close: () => {
      saved.push("closed");
      return Promise.resolve();
    },
  });
  await start(
    {},
    (call) =>
      call.kind === "write"
        ? { ok: true, kind: "write", changed: true, created: false, bytes: 2 }
        : { ok: true, kind: "ls", changed: false, entries: [], truncated: false },
    { workspace },
  );
  const events = await run(
    calling(
      ["write", { path: "a", content: "x" }],
      ["write", { path: "b", content: "x" }],
      ["ls", {}],
    ),
  );
  expect(saving).toBe(2);
  const told = results(events).map(({ result }) => result);
  expect(told).toContain("The folder is empty.");
  expect(
    told.filter((result) => /^Replaced [ab]: 2 bytes\.\n\[\d not saved\]$/.test(String(result))),
  ).toHaveLength(2);
  await loop?.drain(5_000);
  expect(saved).toEqual(["closed"]);
});

test("instructions that are computed are asked for once a turn, and failing ends it", async () => {
  const instructions = { file: "bot/instructions.ts", kind: "dynamic" } as const;
  let asked = 0;
  await start(
    { instructions, harnessTools: ["ls"] },
    () => ({ ok: true, kind: "ls", changed: false, entries: [], truncated: false }),
    invoking((call) => {
      if (call.kind !== "instructions") throw new Error("unexpected call");
      return `Turn ${++asked} of ${call.session.channel}.`;
    }),
  );
  await run(calling(["ls", {}]));
  expect(asked).toBe(1);
  expect(model.requests.at(-1)!.messages[0]).toMatchObject({
    role: "system",
    content: "Turn 1 of http.",
  });
  await loop?.drain(5_000);
  await start(
    { instructions },
    refuse,
    invoking(() => {
      throw new Error("no such table");
    }),
  );
  const [failed] = ofType(await run([{ text: "never" }]), "turn.failed");
  expect(failed!.data.error.message).toBe("bot/instructions.ts: no such table");
});

test("instructions are asked for again while the agent's process is lost, three times at most", async () => {
  const instructions = { file: "bot/instructions.ts", kind: "dynamic" } as const;
  for (const losses of [2, 3]) {
    let asked = 0;
    await start(
      { instructions },
      refuse,
      invoking(() => {
        if (++asked <= losses) throw new SandboxError("runtime_lost", "it ended");
        return "Answer.";
      }),
    );
    const events = await run([{ text: "here" }]);
    expect(ofType(events, losses < 3 ? "turn.completed" : "turn.failed")).toHaveLength(1);
    expect(asked).toBe(3);
    await loop?.drain(5_000);
  }
});

test("skills are advertised by what they are for, and the workspace's AGENTS.md is named", async () => {
  const skills = [
    {
      ...{ name: "sourcing", file: "bot/skills/sourcing/SKILL.md", description: "Before reading." },
      ...{ files: [], dynamic: false },
    },
  ];
  const workspaceFiles = ["bot/sandbox/workspace/AGENTS.md"];
  await start({ skills, workspaceFiles });
  await run([{ text: "hi" }]);
  const prompt = String(model.requests.at(-1)!.messages[0]!.content);
  expect(prompt).toContain("- sourcing: Before reading.");
  expect(prompt).toContain("AGENTS.md");
  await loop?.drain(5_000);
  await start({ skills, workspaceFiles, harnessTools: [] });
  await run([{ text: "hi" }]);
  expect(model.requests.at(-1)!.messages[0]!.content).toBe("Be brief.");
});
