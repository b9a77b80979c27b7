import { lstat, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { ShellCall, ShellOutcome } from "../../protocol/shell-rpc";
import { replaceFile } from "./open-file";
import { fileRefusal } from "./refusal";
import type { Workspace } from "./workspace";

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** Replaces a file or creates it, with the folders above it. */
export async function writeFile(
  workspace: Workspace,
  { path: given, content }: Extract<ShellCall, { kind: "write" }>,
): Promise<ShellOutcome> {
  const path = await workspace.resolve(given);
  try {
    await mkdir(dirname(path), { recursive: true });
  } catch (error) {
    throw fileRefusal(given, error);
  }
  const created = !(await exists(path));
  await replaceFile(given, path, content);
  const bytes = Buffer.byteLength(content);
  return { ok: true, kind: "write", changed: true, created, bytes };
}
