import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import type { Known } from "./restore-tree";

const Noted = z.array(
  z.object({
    path: z.string(),
    file: z.object({ sha256: z.string().nullable(), size: z.number(), mode: z.int() }),
    stamp: z.object({
      ino: z.string(),
      size: z.number(),
      mode: z.int(),
      ctimeNs: z.string(),
      takenMs: z.number(),
    }),
  }),
);

/**
 * What the host knows of a folder's files, kept beside it: no guest sees it. Notes may be old, or
 * not there: a file that they do not know is written again.
 */
export async function readNotes(path: string): Promise<Known> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return "[]";
  });
  const noted = Noted.safeParse(parsed(text)).data ?? [];
  return new Map(noted.map(({ path: at, ...entry }) => [at, entry]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a power cut may leave half of it
  }
}

export async function writeNotes(path: string, known: Known): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const noted = [...known].map(([at, entry]) => ({ path: at, ...entry }));
  await writeFile(`${path}.new`, JSON.stringify(noted), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

export const removeNotes = (path: string): Promise<void> => rm(path, { force: true });
