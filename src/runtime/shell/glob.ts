import type { ShellCall, ShellOutcome } from "../../protocol/shell-rpc";
import { globPattern } from "./glob-pattern";
import { withMatcher } from "./matcher";
import { matchingFiles } from "./matching-files";
import { walk } from "./walk";
import type { Workspace } from "./workspace";

const MAX_PATHS = 1000;

const nameOf = (path: string): string => path;

/** The files whose path below `path` matches the pattern. */
export async function glob(
  workspace: Workspace,
  call: Extract<ShellCall, { kind: "glob" }>,
  signal: AbortSignal,
): Promise<ShellOutcome> {
  const start = await workspace.resolve(call.path ?? ".");
  const pattern = globPattern(call.pattern);
  return withMatcher(signal, async (matcher) => {
    const files = walk(start, call.pattern, signal);
    const paths: string[] = [];
    let truncated = false;
    for await (const { real } of matchingFiles(files, { pattern, nameOf }, matcher)) {
      truncated = paths.length === MAX_PATHS;
      if (truncated) break;
      paths.push(workspace.name(real));
    }
    return { ok: true, kind: "glob", changed: false, paths, truncated };
  });
}
