import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Diagnostic } from "../protocol/manifest";
import type { BuildLine } from "./build-line";
import { BUNDLE_FILE, bundleProject } from "./bundle-project";
import { copyProject } from "./copy-project";
import { hasErrors } from "./diagnostics";
import { installDependencies } from "./install-dependencies";
import type { ProjectScan } from "./project-scan";
import { scanProject } from "./scan-project";
import type { Toolchain } from "./toolchain";

/** The walk's result, beside the bundle: an untrusted file that `ProjectScan` parses. */
export const SCAN_FILE = "scan.json";

export interface BuildRequest {
  /** The uploaded project; never changed. */
  source: string;
  /** Receives bundle.mjs, bundle.mjs.map, scan.json and project/. */
  out: string;
  /** Scratch folder for the copy that dependencies are installed into. */
  work: string;
  toolchain: Toolchain;
  npm: string;
  print(line: BuildLine): void;
}

const needsInstall = ({ dependencies }: ProjectScan): boolean =>
  Object.keys(dependencies).length > 0;

/**
 * Builds an uploaded project: scan, install where needed, bundle. Runs no code of the project or
 * of its packages. Reports everything through `print`; answers whether there is a bundle.
 */
export const buildProject = async (request: BuildRequest): Promise<boolean> => {
  const { source, out, work, toolchain, npm, print } = request;
  const report = (diagnostics: readonly Diagnostic[]): boolean => {
    for (const diagnostic of diagnostics) print({ type: "diagnostic", diagnostic });
    return !hasErrors(diagnostics);
  };
  print({ type: "phase", phase: "scan" });
  const scan = await scanProject(source);
  await mkdir(out, { recursive: true });
  await writeFile(join(out, SCAN_FILE), JSON.stringify(scan));
  if (!report(scan.diagnostics)) return false;

  const dir = join(work, "project");
  await rm(dir, { recursive: true, force: true });
  await copyProject(source, dir);
  if (needsInstall(scan)) {
    print({ type: "phase", phase: "install" });
    const onLine = (text: string) => print({ type: "log", text });
    if (!report(await installDependencies({ dir, npm, onLine }))) return false;
  }
  print({ type: "phase", phase: "bundle" });
  if (!report(await bundleProject({ dir, outDir: out, scan, toolchain }))) return false;
  await copyProject(source, join(out, "project"));
  return true;
};

/** Bytes of the bundle that a build wrote. */
export const bundleBytes = async (out: string): Promise<number> =>
  (await stat(join(out, BUNDLE_FILE))).size;
