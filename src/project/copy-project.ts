import { cp } from "node:fs/promises";
import { join } from "node:path";
import { listFiles } from "./list-files";

/** Copies a project's regular files, and nothing else, into `target`. */
export const copyProject = async (dir: string, target: string): Promise<void> => {
  const { files } = await listFiles(dir);
  for (const file of files) {
    await cp(join(dir, file), join(target, file), { verbatimSymlinks: true });
  }
};
