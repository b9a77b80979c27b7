import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach } from "vitest";

/** An empty folder for each test of a file, removed after it. `write` takes texts by path. */
export function temporaryProject() {
  const project = {
    dir: "",
    async write(files: Record<string, string>): Promise<void> {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(join(project.dir, dirname(path)), { recursive: true });
        await writeFile(join(project.dir, path), text);
      }
    },
  };
  beforeEach(async () => {
    project.dir = await mkdtemp(join(tmpdir(), "berth-project-"));
  });
  afterEach(() => rm(project.dir, { recursive: true }));
  return project;
}
