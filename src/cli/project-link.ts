import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { usageError } from "./exit-code";

const ProjectLink = z.object({
  org: z.string().optional(),
  agent: z.string().optional(),
  url: z.url().optional(),
});
/** What `.berth/project.json` holds: where this folder was deployed last. Nothing secret. */
export type ProjectLink = z.infer<typeof ProjectLink>;

const fileIn = (dir: string) => join(dir, ".berth", "project.json");

/** The link of a project folder; empty where it was never deployed. */
export async function readProjectLink(dir: string): Promise<ProjectLink> {
  const file = fileIn(dir);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (text === undefined) return {};
  try {
    return ProjectLink.parse(JSON.parse(text));
  } catch {
    throw usageError(`${file} is not a project link.`, "Delete it and deploy again.");
  }
}

/** Remembers where a project folder was deployed. */
export async function writeProjectLink(dir: string, link: ProjectLink): Promise<void> {
  await mkdir(join(dir, ".berth"), { recursive: true });
  await writeFile(fileIn(dir), `${JSON.stringify(link, null, 2)}\n`);
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The address a link names, if it may be used: only this machine's. A folder got from elsewhere
 * must not decide where somebody's token is sent.
 */
export function linkedUrl(link: ProjectLink): string | undefined {
  return link.url && LOOPBACK.test(new URL(link.url).hostname) ? link.url : undefined;
}
