import type { DefinitionKind } from "../protocol/description";
import type { Diagnostic } from "../protocol/manifest";
import { warningAt } from "./diagnostics";
import type { FoundModule, ProjectScan } from "./project-scan";
import type { Reader } from "./read-text";

/** The state of one walk: what was found so far. */
export interface Walk extends Reader {
  files: readonly string[];
  now: Date;
  modules: FoundModule[];
  skills: ProjectScan["skills"];
  schedules: ProjectScan["schedules"];
  subagentInstructions: Record<string, string>;
  extensionFolders: ProjectScan["extensionFolders"];
  workspaceFiles: string[];
  diagnostics: Diagnostic[];
}

/** One folder of definitions: the root (`bot/`, no prefix) or that of an extension (`ns__`). */
export interface Mount {
  /** Path with a closing `/`. */
  base: string;
  prefix: string;
}

const CODE = /^(?<stem>[^/]+?)\.(?:ts|mts|cts|tsx|js|mjs|cjs|jsx)$/;
const NOT_A_DEFINITION = /\.(?:d|test|spec)$/;

/** Name without extension of a code file that may be a definition. */
export const codeStem = (fileName: string): string | undefined => {
  const stem = CODE.exec(fileName)?.groups?.stem;
  return stem === undefined || NOT_A_DEFINITION.test(stem) ? undefined : stem;
};

/** Tests and declarations beside definitions: neither loaded nor worth a warning. */
export const isBystander = (fileName: string): boolean =>
  fileName.startsWith(".") || (CODE.test(fileName) && codeStem(fileName) === undefined);

/** Records a module and the name its path gives it. */
export const foundModule = (walk: Walk, kind: DefinitionKind, name: string, file: string): void => {
  walk.modules.push({ kind, name, file });
};

/** Files below a folder, split at the first path segment. */
export interface FolderEntry {
  file: string;
  /** First segment below the folder. */
  head: string;
  /** What follows it; absent for a file directly in the folder. */
  rest?: string;
}

/** The files below `folder` (with a closing `/`), in order of their paths. */
export const entriesOf = (walk: Walk, folder: string): FolderEntry[] =>
  walk.files
    .filter((file) => file.startsWith(folder))
    .map((file) => {
      const [head = "", ...rest] = file.slice(folder.length).split("/");
      return rest.length === 0 ? { file, head } : { file, head, rest: rest.join("/") };
    });

/** Warns about a file that is in a folder of definitions and is none. */
export const ignoredFile = (walk: Walk, file: string, fix: string): void => {
  walk.report(
    warningAt("ignored_file", `${file} is not a definition and is ignored`, { file, fix }),
  );
};
