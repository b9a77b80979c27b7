import { z } from "zod";
import { harnessTool } from "./harness-tool";
import { runInShell } from "./run-in-shell";
import { listed } from "./text-lines";

export const globTool = harnessTool({
  name: "glob",
  description:
    "Find files of the session's workspace by the form of their path, such as **/*.md or src/{a,b}/*.ts.",
  input: z.object({
    pattern: z.string().min(1).describe("Knows *, **, ?, […] and {a,b}."),
    path: z.string().optional().describe("Folder to look in; the whole workspace if absent."),
  }),
  effect: "read",
  run: (thread, { pattern, path }) =>
    runInShell(
      thread,
      { kind: "glob", pattern, ...(path === undefined ? {} : { path }) },
      ({ paths, truncated }) => ({
        isError: false,
        result: listed(paths, truncated, "No file matches."),
      }),
    ),
});
