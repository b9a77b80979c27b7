import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { GrepMatch, ShellCall, ShellOutcome } from "../../protocol/shell-rpc";
import { globPattern } from "./glob-pattern";
import { type Matcher, withMatcher } from "./matcher";
import { matchingFiles, type NameTest } from "./matching-files";
import { withFile } from "./open-file";
import { isBinary } from "./read-file";
import { fileRefusal, Refusal } from "./refusal";
import { type Found, walk } from "./walk";
import type { Workspace } from "./workspace";

type GrepCall = Extract<ShellCall, { kind: "grep" }>;

const DEFAULT_MATCHES = 200;
const MAX_MATCHES = 2000;
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const MAX_LINE = 500;

function compile({ pattern, ignoreCase }: GrepCall): RegExp {
  try {
    return new RegExp(pattern, ignoreCase ? "iu" : "u");
  } catch (error) {
    throw new Refusal(`The pattern cannot be read: ${(error as Error).message}`);
  }
}

/** A glob without a folder is held against names, as people expect of `*.ts`. */
const nameTest = (glob: string): NameTest => ({
  pattern: globPattern(glob),
  nameOf: (path) => (glob.includes("/") ? path : basename(path)),
});

async function* filesAt(start: string, call: GrepCall, signal: AbortSignal) {
  const found = await stat(start).catch((error: unknown) => {
    throw fileRefusal(call.path ?? ".", error);
  });
  if (found.isFile()) yield { path: basename(start), real: start } satisfies Found;
  else yield* walk(start, `${call.path ?? ""}/${call.glob ?? ""}`, signal);
}

/** Lines of a text file; none of one that is binary, too large or gone. */
async function linesOf({ path, real }: Found): Promise<string[]> {
  try {
    return await withFile(path, real, async (file) => {
      if ((await file.stat()).size > MAX_FILE_BYTES) return [];
      const bytes = await file.readFile();
      return isBinary(bytes.subarray(0, 8192)) ? [] : bytes.toString("utf8").split(/\r?\n/);
    });
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}

async function* matchesIn(found: Found, path: string, pattern: RegExp, matcher: Matcher) {
  const lines = await linesOf(found);
  if (lines.length === 0) return;
  for (const at of await matcher.find(`The pattern, in ${path},`, pattern, lines)) {
    yield { path, line: at + 1, text: (lines[at] ?? "").slice(0, MAX_LINE) } satisfies GrepMatch;
  }
}

/** The lines that match a regular expression, file by file. */
export async function grep(
  workspace: Workspace,
  call: GrepCall,
  signal: AbortSignal,
): Promise<ShellOutcome> {
  const start = await workspace.resolve(call.path ?? ".");
  const pattern = compile(call);
  const wanted = call.glob === undefined ? undefined : nameTest(call.glob);
  const most = Math.min(call.maxMatches ?? DEFAULT_MATCHES, MAX_MATCHES);
  return withMatcher(signal, async (matcher) => {
    const matches: GrepMatch[] = [];
    const all = filesAt(start, call, signal);
    for await (const found of wanted ? matchingFiles(all, wanted, matcher) : all) {
      for await (const match of matchesIn(found, workspace.name(found.real), pattern, matcher)) {
        if (matches.length === most) return outcome(matches, true);
        matches.push(match);
      }
    }
    return outcome(matches, false);
  });
}

const outcome = (matches: GrepMatch[], truncated: boolean): ShellOutcome => ({
  ...{ ok: true, kind: "grep", changed: false, matches, truncated },
});
