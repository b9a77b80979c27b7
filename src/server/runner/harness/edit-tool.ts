import { z } from "zod";
import { harnessTool } from "./harness-tool";
import { runInShell } from "./run-in-shell";

export const editTool = harnessTool({
  name: "edit",
  description:
    "Replace text in a file of the session's workspace. oldText must be in the file exactly once, white space included; set all to replace every occurrence.",
  input: z.object({
    path: z.string().describe("Path of the file, relative to the workspace."),
    oldText: z.string().min(1).describe("The text as it stands in the file, without line numbers."),
    newText: z.string().describe("What takes its place."),
    all: z.boolean().optional().describe("Replace every occurrence."),
  }),
  effect: "write",
  run: (thread, { path, oldText, newText, all = false }) =>
    runInShell(thread, { kind: "edit", path, oldText, newText, all }, ({ replacements }) => ({
      isError: false,
      result: `Changed ${path} in ${replacements} ${replacements === 1 ? "place" : "places"}.`,
    })),
});
