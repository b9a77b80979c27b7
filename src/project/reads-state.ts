import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { codeStem, type Walk } from "./walk";

/** Whether code of the project, wherever it stands, names `ctx.stateRoot`. */
export const readsState = async (walk: Walk): Promise<boolean> => {
  for (const file of walk.files) {
    if (codeStem(basename(file)) === undefined) continue;
    if (/\bstateRoot\b/.test(await readFile(join(walk.dir, file), "utf8"))) return true;
  }
  return false;
};
