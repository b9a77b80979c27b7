import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Diagnostic } from "../protocol/manifest";
import { errorAt } from "./diagnostics";

/** Folders that are never part of a project. */
const IGNORED = new Set(["node_modules", ".git", ".berth"]);
export const MAX_FILES = 5000;

export interface FileList {
  /** Relative paths with `/`, sorted. */
  files: string[];
  diagnostics: Diagnostic[];
}

/**
 * Lists a project's regular files. Links and devices are refused and never followed, and the
 * walk stops after `MAX_FILES`.
 */
export const listFiles = async (dir: string): Promise<FileList> => {
  const files: string[] = [];
  const diagnostics: Diagnostic[] = [];
  const pending = [""];
  const visit = (folder: string, entry: Dirent): void => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (IGNORED.has(entry.name)) return;
    if (entry.isDirectory()) pending.push(path);
    else if (entry.isFile()) files.push(path);
    else diagnostics.push(notRegular(path));
  };
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of await readdir(join(dir, folder), { withFileTypes: true })) {
      visit(folder, entry);
    }
    if (files.length > MAX_FILES) return { files: [], diagnostics: [tooMany()] };
  }
  return { files: files.sort(), diagnostics };
};

const notRegular = (file: string): Diagnostic =>
  errorAt("not_a_regular_file", "only regular files and directories can be deployed", {
    file,
    fix: "replace the link or device by a copy of what it points to",
  });

const tooMany = (): Diagnostic =>
  errorAt("too_many_files", `a project has at most ${MAX_FILES} files`, {
    file: ".",
    fix: "leave generated files out with .berthignore",
  });
