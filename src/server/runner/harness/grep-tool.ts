import { z } from "zod";
import type { GrepMatch } from "../../../protocol/shell-rpc";
import { harnessTool } from "./harness-tool";
import { runInShell } from "./run-in-shell";
import { listed } from "./text-lines";

export const grepTool = harnessTool({
  name: "grep",
  description:
    "Search the text of the workspace's files for a regular expression (JavaScript). Answers path:line: text for each line that matches.",
  input: z.object({
    pattern: z.string().min(1).describe("A JavaScript regular expression without slashes."),
    path: z
      .string()
      .optional()
      .describe("File or folder to search; the whole workspace if absent."),
    glob: z.string().optional().describe("Only files whose path has this form, such as *.ts."),
    ignoreCase: z.boolean().optional(),
  }),
  effect: "read",
  run: (thread, { pattern, path, glob, ignoreCase = false }) =>
    runInShell(
      thread,
      {
        ...{ kind: "grep", pattern, ignoreCase },
        ...(path === undefined ? {} : { path }),
        ...(glob === undefined ? {} : { glob }),
      },
      ({ matches, truncated }) => ({
        isError: false,
        result: listed(matches.map(matchLine), truncated, "Nothing matches."),
      }),
    ),
});

const matchLine = ({ path, line, text }: GrepMatch): string => `${path}:${line}: ${text}`;
