import type { FolderKind } from "./definition-kind";
import { errorAt, warningAt } from "./diagnostics";
import { markdownSchedule, markdownSkill } from "./discover-markdown";
import { readText } from "./read-text";
import type { FolderEntry, Mount, Walk } from "./walk";
import { codeStem, entriesOf, foundModule, ignoredFile, isBystander } from "./walk";

const MARKDOWN = /^(?<stem>.+)\.md$/;
const LIB_FIX = "move shared code to lib/, or the definition directly into its folder";

/** Finds the definitions of one kind in its folder below a mount. */
export const discoverFolder = async (
  walk: Walk,
  mount: Mount,
  folder: string,
  kind: FolderKind,
): Promise<void> => {
  const entries = entriesOf(walk, `${mount.base}${folder}/`);
  const nested = new Set(entries.flatMap(({ head, rest }) => (rest === undefined ? [] : [head])));
  for (const entry of entries) {
    if (entry.rest === undefined) await discoverFile(walk, mount, kind, entry);
  }
  for (const name of nested) {
    const inside = entries.filter(({ head, rest }) => head === name && rest !== undefined);
    const path = `${mount.base}${folder}/${name}`;
    await discoverDirectory(walk, mount, kind, { name, folder: path, inside });
  }
};

const discoverFile = async (
  walk: Walk,
  mount: Mount,
  kind: FolderKind,
  { head, file }: FolderEntry,
): Promise<void> => {
  if (isBystander(head)) return;
  const stem = codeStem(head);
  const markdown = MARKDOWN.exec(head)?.groups?.stem;
  if (kind === "subagents") {
    ignoredFile(walk, file, "a subagent is a directory with an agent.ts");
  } else if (stem !== undefined) {
    foundModule(walk, kind, mount.prefix + stem, file);
  } else if (markdown !== undefined && kind === "skills") {
    await markdownSkill(walk, { name: mount.prefix + markdown, file });
  } else if (markdown !== undefined && kind === "schedules") {
    await markdownSchedule(walk, { name: mount.prefix + markdown, file });
  } else {
    ignoredFile(walk, file, "remove it, or give it the extension of a definition");
  }
};

interface Directory {
  name: string;
  folder: string;
  inside: FolderEntry[];
}

const discoverDirectory = async (
  walk: Walk,
  mount: Mount,
  kind: FolderKind,
  directory: Directory,
): Promise<void> => {
  const { folder } = directory;
  if (kind === "skills") await packagedSkill(walk, mount, directory);
  else if (kind === "subagents") await subagent(walk, mount, directory);
  else if (kind !== "extensions") {
    const message = `${folder}/ is not searched for definitions`;
    walk.report(warningAt("ignored_directory", message, { file: folder, fix: LIB_FIX }));
  }
};

const packagedSkill = async (walk: Walk, mount: Mount, directory: Directory): Promise<void> => {
  const { name, folder, inside } = directory;
  const main = inside.find(({ rest }) => rest === "SKILL.md");
  if (main === undefined) {
    const message = `${folder}/ has no SKILL.md and is ignored`;
    walk.report(warningAt("missing_skill_md", message, { file: folder, fix: "add SKILL.md" }));
    return;
  }
  const files = inside.filter((entry) => entry !== main).map(({ file }) => file);
  await markdownSkill(walk, { name: mount.prefix + name, file: main.file }, { files });
};

const CAPABILITIES = new Set([
  "tools",
  "skills",
  "extensions",
  "mcp-connections",
  "host-connections",
  "channels",
  "schedules",
  "reminders",
  "hooks",
  "sandbox",
  "subagents",
]);

const subagent = async (walk: Walk, mount: Mount, directory: Directory): Promise<void> => {
  const { folder, inside } = directory;
  const name = mount.prefix + directory.name;
  const direct = (stem: string) =>
    inside.find(({ rest }) => rest !== undefined && !rest.includes("/") && codeStem(rest) === stem);
  const main = direct("agent");
  if (main === undefined) {
    const fix = "add agent.ts with a description";
    walk.report(errorAt("missing_agent_ts", `${folder}/ has no agent.ts`, { file: folder, fix }));
    return;
  }
  foundModule(walk, "subagents", name, main.file);
  const instructions = inside.find(({ rest }) => rest === "instructions.md");
  const text = instructions === undefined ? undefined : await readText(walk, instructions.file);
  if (text !== undefined) walk.subagentInstructions[name] = text.trim();
  const folders = new Set(
    inside.flatMap(({ rest }) => (rest?.includes("/") ? [rest.split("/")[0]] : [])),
  );
  for (const inner of folders) {
    if (inner === undefined || !CAPABILITIES.has(inner)) continue;
    const message = `${folder}/${inner}/ is ignored: a subagent uses what its parent has`;
    const fix = `move it to ${mount.base}${inner}/`;
    walk.report(warningAt("ignored_capability", message, { file: `${folder}/${inner}`, fix }));
  }
};
