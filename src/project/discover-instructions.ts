import { errorAt } from "./diagnostics";
import type { ProjectScan } from "./project-scan";
import { readText } from "./read-text";
import type { Mount, Walk } from "./walk";
import { codeStem, entriesOf, foundModule, ignoredFile } from "./walk";

type Found = NonNullable<ProjectScan["instructions"]>;

/**
 * Finds the root's instructions: one Markdown file, one module, or a directory whose Markdown
 * files are joined in order of their names. More than one form is an error.
 */
export const discoverInstructions = async (
  walk: Walk,
  mount: Mount,
): Promise<Found | undefined> => {
  const top = entriesOf(walk, mount.base).filter(({ rest }) => rest === undefined);
  const markdown = top.filter(({ head }) => head === "instructions.md");
  const modules = top.filter(({ head }) => codeStem(head) === "instructions");
  const parts = directoryParts(walk, mount);
  const directory = parts.length > 0 ? [{ file: `${mount.base}instructions` }] : [];
  const forms = [...markdown, ...modules, ...directory].map(({ file }) => file);
  if (forms.length > 1) {
    const message = `the instructions have more than one form: ${forms.join(", ")}`;
    const fix = "keep one of them";
    walk.report(errorAt("multiple_instructions", message, { file: forms[1] ?? mount.base, fix }));
  }
  for (const { file } of modules) foundModule(walk, "instructions", "instructions", file);
  const sources = markdown.length > 0 ? markdown.map(({ file }) => file) : parts;
  const [file] = [...markdown, ...directory].map((form) => form.file);
  if (file === undefined) return undefined;
  const texts: string[] = [];
  for (const source of sources) texts.push((await readText(walk, source))?.trim() ?? "");
  const text = texts.filter((part) => part !== "").join("\n\n");
  if (text === "") {
    walk.report(errorAt("empty_instructions", `${file} says nothing`, { file, fix: "write it" }));
  }
  return { file, text };
};

const directoryParts = (walk: Walk, mount: Mount): string[] => {
  const entries = entriesOf(walk, `${mount.base}instructions/`);
  const isPart = ({ file }: { file: string }) => file.endsWith(".md");
  for (const { file } of entries.filter((entry) => !isPart(entry))) {
    ignoredFile(walk, file, "the directory form of instructions holds Markdown files only");
  }
  return entries.filter(isPart).map(({ file }) => file);
};
