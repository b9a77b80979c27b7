import { z } from "zod";
import type { FolderEntry } from "../../../protocol/shell-rpc";
import { harnessTool } from "./harness-tool";
import { runInShell } from "./run-in-shell";
import { listed } from "./text-lines";

export const lsTool = harnessTool({
  name: "ls",
  description: "List a folder of the session's workspace. Folders end in /, files have their size.",
  input: z.object({
    path: z.string().optional().describe("Folder relative to the workspace; the workspace itself."),
  }),
  effect: "read",
  run: (thread, { path = "." }) =>
    runInShell(thread, { kind: "ls", path }, ({ entries, truncated }) => ({
      isError: false,
      result: listed(entries.map(entryLine), truncated, "The folder is empty."),
    })),
});

function entryLine({ name, type, bytes }: FolderEntry): string {
  if (type === "folder") return `${name}/`;
  return type === "file" ? `${name}\t${bytes} bytes` : `${name}\t(${type})`;
}
