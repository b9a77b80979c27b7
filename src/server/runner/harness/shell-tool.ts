import { z } from "zod";
import type { ProgramEnd, ProgramOutput } from "../../../protocol/shell-rpc";
import { ACKNOWLEDGED, type CallResult } from "../call-result";
import { done } from "../thread";
import { harnessTool } from "./harness-tool";
import { endText, outputText, succeeded } from "./program-text";
import { runInShell } from "./run-in-shell";

const DEFAULT_MS = 60_000;
const MAX_MS = 15 * 60_000;

export const shellTool = harnessTool({
  name: "shell",
  description:
    "Run a command with bash in the session's workspace. Standard output and error come back together. Every command starts in the workspace with a fresh environment; programs that are still running when it ends are stopped.",
  input: z.object({
    command: z.string().min(1).describe("What bash is to run."),
    cwd: z.string().optional().describe("Folder to run it in, relative to the workspace."),
    timeoutMs: z
      .int()
      .min(1)
      .max(MAX_MS)
      .optional()
      .describe("Time limit in milliseconds; 60000 if absent, at most 900000."),
  }),
  effect: "write",
  run: async (thread, { command, cwd, timeoutMs = DEFAULT_MS }) => {
    if (thread.turn.session.dryRun) return done(ACKNOWLEDGED);
    return await runInShell(
      thread,
      { kind: "shell", command, timeoutMs, ...(cwd === undefined ? {} : { cwd }) },
      ({ output, end }) => ended(output, end),
      timeoutMs,
    );
  },
});

function ended(output: ProgramOutput, end: ProgramEnd): CallResult {
  const text = outputText(output);
  if (succeeded(end)) return { isError: false, result: text || "[It printed nothing.]" };
  return { isError: true, result: [text.trimEnd(), endText(end)].filter(Boolean).join("\n") };
}
