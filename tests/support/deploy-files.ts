import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { packProject } from "../../src/cli/pack/pack-project";
import type { BerthClient } from "../../src/sdk/client";

/**
 * Deploys an agent that exists as texts by path.
 * @returns its version
 * @throws Error with the build's diagnostics
 */
export async function deployFiles(
  client: BerthClient,
  org: string,
  agent: string,
  files: Readonly<Record<string, string>>,
): Promise<number> {
  const dir = await mkdtemp(join(tmpdir(), "berth-project-"));
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(dir, path)), { recursive: true });
      await writeFile(join(dir, path), content);
    }
    const { archive } = await packProject(dir);
    for await (const line of client.control.deploy(org, agent, archive)) {
      if (line.type === "deployed") return line.version;
      if (line.type === "failed") throw new Error(JSON.stringify(line.diagnostics));
    }
    throw new Error("the build log ended without a result");
  } finally {
    await rm(dir, { recursive: true });
  }
}
