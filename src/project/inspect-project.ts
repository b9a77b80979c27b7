import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import type { Diagnostic, Manifest } from "../protocol/manifest";
import { BUNDLE_FILE, bundleProject } from "./bundle-project";
import { copyProject } from "./copy-project";
import { describeBundle } from "./describe-bundle";
import { hasErrors } from "./diagnostics";
import type { ProjectScan } from "./project-scan";
import { scanProject } from "./scan-project";
import { toManifest } from "./to-manifest";
import type { Toolchain } from "./toolchain";

const DESCRIBE_TIMEOUT_MS = 30_000;

export interface InspectOptions {
  toolchain: Toolchain;
  /** The built agent program, `dist/runtime/main.cjs`. */
  runtime: string;
  /** Environment of the project's code while it is described. */
  env: Record<string, string>;
}

export interface Inspection {
  scan: ProjectScan;
  /** Absent when the project could not be bundled. */
  manifest?: Manifest;
  /** Everything that was found, in the order of the steps. */
  diagnostics: Diagnostic[];
}

/**
 * Validates a project offline: walk, bundle, description. The description loads the project's own
 * code in a process of this machine, as running it would; its dependencies must be installed.
 */
export const inspectProject = async (
  dir: string,
  { toolchain, runtime, env }: InspectOptions,
): Promise<Inspection> => {
  const scan = await scanProject(dir);
  const outDir = await mkdtemp(join(tmpdir(), "berth-inspect-"));
  try {
    const built = await bundleProject({ dir, outDir, scan, toolchain });
    const found = [...scan.diagnostics, ...built];
    if (hasErrors(built)) return { scan, diagnostics: found };
    await copyProject(dir, join(outDir, "project"));
    const description = await describeBundle({
      runtime,
      bundle: join(outDir, BUNDLE_FILE),
      scratch: outDir,
      env,
      timeoutMs: DESCRIBE_TIMEOUT_MS,
    });
    const { manifest, diagnostics } = toManifest(
      scan,
      description,
      new Date(),
      basename(resolve(dir)),
    );
    return { scan, manifest, diagnostics: [...found, ...diagnostics] };
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
};
