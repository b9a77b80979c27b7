import { z } from "zod";
import { harnessTool } from "./harness-tool";
import { runInShell } from "./run-in-shell";

export const writeTool = harnessTool({
  name: "write",
  description:
    "Write a file of the session's workspace: creates it with its folders, or replaces all of it. To change a part of a file use edit.",
  input: z.object({
    path: z.string().describe("Path of the file, relative to the workspace."),
    content: z.string().describe("All that the file is to hold."),
  }),
  effect: "write",
  run: (thread, { path, content }) =>
    runInShell(thread, { kind: "write", path, content }, ({ created, bytes }) => ({
      isError: false,
      result: `${created ? "Created" : "Replaced"} ${path}: ${bytes} bytes.`,
    })),
});
