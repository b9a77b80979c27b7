import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SessionEvent } from "../../../src/protocol/event";
import { readTranscript } from "../../../src/protocol/read-transcript";
import { type Trajectory, trajectoryOf } from "../../../src/protocol/trajectory";
import { type Farm, startFarm } from "../../support/faults/farm";
import { ask, begin, follow } from "../../support/faults/sessions";
import { LONG_TURN, longTurnMessage, researcherFiles } from "../../support/long-agent";
import { type ScriptedStep, scriptText } from "../../support/scripted-model/script";

const EXAMPLE = resolve("examples/researcher");
let farm: Farm;

beforeAll(async () => {
  farm = await startFarm();
  await farm.deploy(await researcherFiles("stub/echo"));
});
afterAll(() => farm?.stop());

const ofType = <T extends SessionEvent["type"]>(events: SessionEvent[], type: T) =>
  events.filter((event): event is Extract<SessionEvent, { type: T }> => event.type === type);

async function berth(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, ["dist/cli.mjs", ...args], {
    env: { ...process.env, BERTH_URL: farm.url, BERTH_TOKEN: farm.apiKey, NO_COLOR: "1" },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`berth ${args.join(" ")} ended with ${code}: ${stderr}`);
  return stdout;
}

/** Results by tool name, in the order in which they were asked for. */
function resultsOf(events: SessionEvent[]): [string, boolean, unknown][] {
  const done = new Map(ofType(events, "action.result").map(({ data }) => [data.callId, data]));
  return ofType(events, "actions.requested")
    .flatMap(({ data }) => data.calls)
    .map(({ callId, toolName }) => {
      const { isError, result } = done.get(callId)!;
      return [toolName, isError, result];
    });
}

const call = (name: string, input: unknown) => ({ name, input });

test("an agent uses its skills, a subagent, the shell, its script and artifacts", async () => {
  const reading = scriptText(
    { calls: [call("grep", { pattern: "hills", path: "sources" })] },
    { text: "seven hills" },
  );
  const script: ScriptedStep[] = [
    {
      calls: [
        call("skill", { name: "sourcing" }),
        call("skill", { name: "report" }),
        call("skill", { name: "units" }),
        call("read", { path: "sources/lisbon.md" }),
        call("read", { path: ".cursor/skills/sourcing/references/checklist.md" }),
        call("count_lines", { path: "sources/porto.md" }),
      ],
    },
    { calls: [call("task", { subagent: "reader", prompt: reading })] },
    { calls: [call("shell", { command: "mkdir notes; echo '7 hills' > notes/a.md; ls notes" })] },
    {
      calls: [
        call("edit", { path: "notes/a.md", oldText: "7", newText: "seven" }),
        call("tag_artifact", { kind: "report", key: "hills", contents: "Seven hills." }),
      ],
    },
    { text: "Lisbon has seven hills. TODO" },
  ];
  const sessionId = await begin(farm, scriptText(...script));
  const events = await follow(farm, sessionId);
  const results = resultsOf(events);
  const of = (name: string) => results.filter(([tool]) => tool === name);
  expect(results.filter(([, isError]) => isError)).toEqual([]);
  const [sourcing, report, units] = of("skill").map(([, , result]) => String(result));
  expect(sourcing).toContain("List `sources/`");
  expect(sourcing).toContain("- .cursor/skills/sourcing/references/checklist.md");
  expect(report).toContain("Question, Answer, Sources");
  expect(report).toContain("- .cursor/skills/report/template.md");
  expect(units).toContain("metric units");
  const [source, checklist] = of("read").map(([, , result]) => String(result));
  expect(source).toContain("3\tWritten in 2024. The city has seven hills.");
  expect(checklist).toContain("Do two sources agree?");
  expect(of("count_lines")[0]![2]).toEqual({ path: "sources/porto.md", lines: 3 });
  expect(String(of("grep")[0]![2])).toContain("lisbon.md:3:");
  expect(of("task")[0]![2]).toBe("seven hills");
  expect(of("shell")[0]![2]).toBe("a.md\n");
  const [tagged] = ofType(events, "artifact.tagged");
  expect(tagged!.data).toMatchObject({ kind: "report", key: "hills" });
  // The model that is scripted repeats what it is told, and that passes.
  expect(ofType(events, "turn.completed")[0]!.data.text).toBe(
    "You said: Your answer was not accepted: a part of it is left to be done\nAnswer again, in full.",
  );

  // What was written is there in the next turn.
  const { nextIndex } = readTranscript(events);
  const after: SessionEvent[] = [];
  await ask(farm, `/session/${sessionId}`, {
    method: "POST",
    body: JSON.stringify({
      message: scriptText({ calls: [call("read", { path: "notes/a.md" })] }, { text: "read" }),
    }),
  });
  const api = farm.client.agent(farm.org, farm.agent);
  for await (const event of api.events(sessionId, { startIndex: nextIndex })) {
    after.push(event);
    if (event.type === "turn.completed" || event.type === "turn.failed") break;
  }
  expect(resultsOf(after)).toEqual([["read", false, "1\tseven hills"]]);
});

test("what was written before a worker is killed and its disk is lost is there after it", async () => {
  const steps: ScriptedStep[] = [
    { calls: [call("write", { path: "one.txt", content: "1" })] },
    // Time to kill it in: the answer comes in pieces.
    {
      text: "a b c d e f g h",
      delayMs: 250,
      calls: [call("write", { path: "two.txt", content: "2" })],
    },
    { calls: [call("shell", { command: "cat one.txt two.txt" })] },
    { text: "both" },
  ];
  const sessionId = await begin(farm, scriptText(...steps));
  const [worker] = farm.workers;
  let killed = false;
  const events = await follow(farm, sessionId, async ({ type }) => {
    if (type !== "step.completed" || killed) return;
    killed = true;
    await worker!.end("SIGKILL");
    await rm(join(farm.stateDir, "worker"), { recursive: true, force: true });
    worker!.start();
  });
  expect(ofType(events, "turn.completed")[0]!.data.text).toBe("both");
  expect(resultsOf(events)).toEqual([
    ["write", false, "Created one.txt: 1 bytes."],
    ["write", false, "Created two.txt: 1 bytes."],
    ["shell", false, "12"],
  ]);
  expect(ofType(events, "turn.started").map(({ data }) => data.attempt)).toEqual([1, 2]);
}, 90_000);

test("a long turn with subagents beside each other streams, reloads and replays identically", async () => {
  const sessionId = await begin(farm, longTurnMessage());
  const live = await follow(farm, sessionId);
  expect(live.at(-1)).toMatchObject({ type: "turn.completed", data: { text: LONG_TURN.end } });
  expect(live.map(({ index }) => index)).toEqual(live.map((_, i) => i));
  const calls = ofType(live, "actions.requested").flatMap(({ data }) => data.calls);
  expect(calls).toHaveLength(LONG_TURN.ownCalls + LONG_TURN.helpersCalls);
  expect(
    ofType(live, "subagent.completed")
      .map(({ data }) => data.text)
      .sort(),
  ).toEqual(LONG_TURN.helpers);
  expect(ofType(live, "step.completed")).toHaveLength(LONG_TURN.steps);

  const until = live.length - 1;
  const dumped = await (await ask(farm, `/session/${sessionId}/events?format=json`)).json();
  const replayed = (dumped as SessionEvent[]).filter(({ index }) => index <= until);
  expect(replayed).toEqual(live);
  const api = farm.client.agent(farm.org, farm.agent);
  const resumed: SessionEvent[] = live.slice(0, 100);
  for await (const event of api.events(sessionId, { startIndex: 100, follow: false })) {
    if (event.index <= until) resumed.push(event);
  }
  expect(resumed).toEqual(live);
  expect(readTranscript(resumed)).toEqual(readTranscript(live));

  const { turnId } = live.at(-1)!;
  const expected: Trajectory = trajectoryOf(live, { sessionId, turnId: turnId! });
  expect(expected.toolCalls).toHaveLength(calls.length);
  expect(expected.toolCalls.filter(({ parentCallId }) => parentCallId)).toHaveLength(
    LONG_TURN.helpersCalls,
  );
  const printed = await berth("trajectory", sessionId, "--org", farm.org, "--agent", farm.agent);
  expect(JSON.parse(printed)).toEqual(expected);
}, 120_000);

test("the offline model calls the script by its name", async () => {
  await farm.deploy({ "bot/agent.ts": await readFile(join(EXAMPLE, "bot/agent.ts"), "utf8") });
  const message = "count_lines of sources/lisbon.md";
  const printed = await berth("run", message, "--json", "--org", farm.org, "--agent", farm.agent);
  const { status, toolCalls } = JSON.parse(printed) as Trajectory;
  expect(status).toBe("finished");
  expect(toolCalls).toMatchObject([
    { toolName: "count_lines", result: { path: "sources/lisbon.md", lines: 4 } },
  ]);
});
