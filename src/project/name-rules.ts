import type { DefinitionKind } from "../protocol/description";
import { HARNESS_TOOLS } from "../protocol/harness-tool";
import type { Diagnostic } from "../protocol/manifest";
import { errorAt, warningAt } from "./diagnostics";

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;
const MAX_NAME = 64;

const PLATFORM_TOOLS = [
  "tag_artifact",
  "reminders_create",
  "reminders_list",
  "reminders_cancel",
] as const;

const RESERVED: Partial<Record<DefinitionKind, ReadonlySet<string>>> = {
  tools: new Set([...HARNESS_TOOLS, ...PLATFORM_TOOLS]),
  channels: new Set(["http", "mcp"]),
};

const SINGULAR: Record<DefinitionKind, string> = {
  agent: "agent",
  instructions: "instructions",
  artifacts: "artifact registry",
  result: "result check",
  tools: "tool",
  skills: "skill",
  channels: "channel",
  schedules: "schedule",
  reminders: "reminder",
  hooks: "hook",
  subagents: "subagent",
  extensions: "extension",
  mcpConnections: "MCP connection",
  hostConnections: "host connection",
  evals: "eval",
};

/** The word for one definition of a kind. */
export const singular = (kind: DefinitionKind): string => SINGULAR[kind];

/** What is wrong with the name a definition's path gives it, or `undefined`. */
export const nameProblem = (
  kind: DefinitionKind,
  name: string,
  file: string,
): Diagnostic | undefined => {
  const what = singular(kind);
  if (!NAME.test(name) || name.length > MAX_NAME) {
    return errorAt("invalid_name", `"${name}" cannot be the name of a ${what}`, {
      file,
      fix: "rename it: letters, digits, _ and -, starting with a letter or digit, at most 64",
    });
  }
  if (kind === "tools" && HARNESS_TOOLS.some((tool) => tool === name)) {
    const message = `"${name}" takes the place of Berth's own tool of that name`;
    const fix = "rename the file to have both";
    return warningAt("harness_tool_replaced", message, { file, fix });
  }
  if (RESERVED[kind]?.has(name.toLowerCase())) {
    return errorAt("reserved_name", `"${name}" is the name of a ${what} of Berth itself`, {
      file,
      fix: "rename the file",
    });
  }
  if (kind === "extensions" && name.includes("__")) {
    const message = `the extension "${name}" holds two underscores, which separate its names`;
    return errorAt("invalid_name", message, { file, fix: "rename it without __" });
  }
  return undefined;
};

interface Named {
  name: string;
  file: string;
}

/** Definitions of one kind whose names are equal, or differ only in case. */
export const nameClashes = (kind: DefinitionKind, named: readonly Named[]): Diagnostic[] => {
  const seen = new Map<string, Named>();
  const found: Diagnostic[] = [];
  for (const entry of named) {
    const key = entry.name.toLowerCase();
    const first = seen.get(key);
    if (first === undefined) seen.set(key, entry);
    else found.push(clash(singular(kind), first, entry));
  }
  return found;
};

const clash = (what: string, first: Named, second: Named): Diagnostic => {
  const fix = `rename ${second.file} or remove one of the two`;
  if (first.name === second.name) {
    const message = `two ${what}s are named "${first.name}": ${first.file} and ${second.file}`;
    return errorAt("duplicate_name", message, { file: second.file, fix });
  }
  const message = `the ${what}s "${first.name}" (${first.file}) and "${second.name}" (${second.file}) differ only in case`;
  return errorAt("case_clash", message, { file: second.file, fix });
};
