import { realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type BuildFailure, type BuildOptions, build, type Message } from "esbuild";
import type { Diagnostic } from "../protocol/manifest";
import { bundleEntry } from "./bundle-entry";
import { importGuard } from "./import-guard";
import { BUNDLE_BANNER, moduleLocation } from "./module-location";
import type { ProjectScan } from "./project-scan";
import type { Toolchain } from "./toolchain";

export const BUNDLE_FILE = "bundle.mjs";

export interface BundleRequest {
  dir: string;
  outDir: string;
  scan: Pick<ProjectScan, "modules" | "zod">;
  toolchain: Toolchain;
}

const TEXT = [".md", ".mdx", ".txt", ".sql", ".yaml", ".yml", ".html", ".csv", ".graphql"];

const optionsFor = (dir: string, { outDir, scan, toolchain }: BundleRequest): BuildOptions => ({
  stdin: { contents: bundleEntry(scan), resolveDir: dir, sourcefile: "berth:entry", loader: "js" },
  absWorkingDir: dir,
  outfile: join(outDir, BUNDLE_FILE),
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  keepNames: true,
  sourcemap: "external",
  legalComments: "none",
  logLevel: "silent",
  banner: { js: BUNDLE_BANNER },
  define: { __filename: "__berthBundleFile", __dirname: "__berthBundleDir" },
  loader: {
    ...Object.fromEntries(TEXT.map((extension) => [extension, "text" as const])),
    ".node": "copy",
    ".wasm": "binary",
  },
  plugins: [importGuard({ dir, zod: scan.zod, toolchain }), moduleLocation(dir)],
});

/**
 * Bundles a project's definitions into `outDir/bundle.mjs` with its map beside it. Runs none of
 * the project's code. What stops it is in the diagnostics; nothing is written then.
 */
export const bundleProject = async (request: BundleRequest): Promise<Diagnostic[]> => {
  const dir = await realpath(request.dir);
  const toolchain = {
    sdkDir: await realpath(request.toolchain.sdkDir),
    modulesDir: await realpath(request.toolchain.modulesDir),
  };
  const outDir = resolve(request.outDir);
  try {
    const { warnings } = await build(optionsFor(dir, { ...request, toolchain, outDir }));
    return warnings.filter(ofProject).map((message) => toDiagnostic("warning", message));
  } catch (error) {
    if (!isBuildFailure(error)) throw error;
    return error.errors.map((message) => toDiagnostic("error", message));
  }
};

const isBuildFailure = (error: unknown): error is BuildFailure =>
  error instanceof Error && "errors" in error && Array.isArray(error.errors);

const ofProject = ({ location }: Message): boolean => !location?.file.includes("node_modules/");

const codeOf = (severity: Diagnostic["severity"], { detail, text }: Message): string => {
  if (typeof detail?.code === "string") return detail.code;
  if (text.startsWith("Could not resolve")) return "unresolved_import";
  return `build_${severity}`;
};

const fixOf = ({ detail }: Message, code: string): { fix?: string } => {
  if (typeof detail?.fix === "string") return { fix: detail.fix };
  return code === "unresolved_import"
    ? { fix: "correct the path, or add the package to dependencies and run npm install" }
    : {};
};

const toDiagnostic = (severity: Diagnostic["severity"], message: Message): Diagnostic => {
  const { location, text } = message;
  const code = codeOf(severity, message);
  return {
    severity,
    code,
    message: text,
    file: location?.file ?? ".",
    ...(location ? { line: location.line, column: location.column + 1 } : {}),
    ...fixOf(message, code),
  };
};
