import { readdir, readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { type ScriptedStep, scriptText } from "./scripted-model/script";

const EXAMPLE = resolve("examples/researcher");

/** Files of the example `researcher`, for a model that is scripted. */
export async function researcherFiles(model: string): Promise<Record<string, string>> {
  const names = await readdir(join(EXAMPLE, "bot"), { recursive: true, withFileTypes: true });
  const files: Record<string, string> = {};
  for (const entry of names.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    files[relative(EXAMPLE, path)] = await readFile(path, "utf8");
  }
  const agent = files["bot/agent.ts"];
  if (!agent?.includes("berth/offline")) throw new Error("the example has another model");
  return { ...files, "bot/agent.ts": agent.replace("berth/offline", model) };
}

const call = (name: string, input: unknown) => ({ name, input });

const look = (n: number): ScriptedStep => ({
  text: `step ${n} `,
  calls: [
    call("read", { path: "sources/lisbon.md" }),
    call("ls", { path: "sources" }),
    call("grep", { pattern: "Written", path: "sources" }),
    call("glob", { pattern: "**/*.md" }),
  ],
});

const helper = (n: number) =>
  call("task", { subagent: "reader", prompt: scriptText(look(n), { text: `helper ${n}` }) });

/** What the long turn does: one of its steps has the subagents, beside each other. */
export const LONG_TURN = {
  steps: 50,
  helpers: ["helper 1", "helper 2", "helper 3", "helper 4"],
  ownCalls: 48 * 4 + 4,
  helpersCalls: 4 * 4,
  end: "at last",
} as const;

/** The message that makes the scripted researcher take the long turn. */
export function longTurnMessage(): string {
  const steps = Array.from({ length: LONG_TURN.steps - 1 }, (_, n) =>
    n === 10 ? { text: "together ", calls: [1, 2, 3, 4].map(helper) } : look(n),
  );
  return scriptText(...steps, { text: LONG_TURN.end });
}
