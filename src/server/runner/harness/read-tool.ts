import { z } from "zod";
import type { FileContent } from "../../../protocol/shell-rpc";
import { type CallResult, errorResult } from "../call-result";
import { harnessTool } from "./harness-tool";
import { runInShell } from "./run-in-shell";
import { fittingLines } from "./text-lines";

const DEFAULT_LINES = 2_000;

export const readTool = harnessTool({
  name: "read",
  description:
    "Read a file of the session's workspace. Text comes with line numbers, at most 2,000 lines or 31 KiB at once: go on with offset. Images are shown as images.",
  input: z.object({
    path: z.string().describe("Path of the file, relative to the workspace."),
    offset: z.int().min(1).optional().describe("First line to read, from 1."),
    limit: z.int().min(1).max(DEFAULT_LINES).optional().describe("How many lines to read."),
  }),
  effect: "read",
  run: (thread, { path, offset = 1, limit = DEFAULT_LINES }) =>
    runInShell(thread, { kind: "read", path, offset, limit }, ({ content }) =>
      shown(path, content),
    ),
});

function shown(path: string, content: FileContent): CallResult {
  switch (content.type) {
    case "text":
      return { isError: false, result: numbered(content) };
    case "image": {
      const { base64: data, mimeType } = content;
      return { isError: false, result: { content: [{ type: "image", data, mimeType }] } };
    }
    case "binary":
      return errorResult(`${path} is no text: ${content.bytes} bytes.`);
  }
}

type Text = Extract<FileContent, { type: "text" }>;

function numbered({ text, firstLine, lineCount, totalLines, truncated }: Text): string {
  if (lineCount === 0) return `[No lines from ${firstLine} on: the file has ${totalLines}.]`;
  const lines = text.split("\n").slice(0, lineCount);
  const shown = fittingLines(lines.map((line, i) => `${firstLine + i}\t${line}`));
  const last = firstLine + shown.length - 1;
  const whole = firstLine === 1 && last === totalLines;
  if (whole && !truncated) return shown.join("\n");
  const next = last < totalLines ? ` Go on with offset ${last + 1}.` : "";
  return `${shown.join("\n")}\n[Lines ${firstLine} to ${last} of ${totalLines}.${next}]`;
}
