import { realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { OnResolveArgs, OnResolveResult, PartialMessage, Plugin, PluginBuild } from "esbuild";
import type { ProjectScan } from "./project-scan";
import { sdkImport } from "./sdk-import";
import type { Toolchain } from "./toolchain";

/** Carried by our own resolutions so that they are not taken for a project's. */
const OURS = { berth: true };

/** All folders are real paths, links resolved. */
export interface GuardOptions {
  dir: string;
  zod: ProjectScan["zod"];
  toolchain: Toolchain;
}

const refuse = (code: string, text: string, fix?: string): OnResolveResult => {
  const error: PartialMessage = { text, detail: { code, fix } };
  return { errors: [error] };
};

const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

const isBare = (specifier: string): boolean => /^[@A-Za-z0-9#~][^:]*$/.test(specifier);

const PACKAGE_ROOT = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/;

const packageRoot = (path: string): string | undefined => PACKAGE_ROOT.exec(path)?.[0];

/** The file a specifier names by path, whether or not it is there. */
const namedPath = ({ path, resolveDir }: OnResolveArgs): string | undefined => {
  if (path.startsWith("file:")) return URL.canParse(path) ? fileURLToPath(path) : path;
  return /^(?:\.{0,2}[\\/]|\.{1,2}$)/.test(path) ? resolve(resolveDir, path) : undefined;
};

/** What a build may read: the project, the authoring package, and installed packages. */
const allows = (options: GuardOptions, args: OnResolveArgs, path: string): boolean => {
  const own = packageRoot(args.importer);
  const roots = [options.dir, options.toolchain.sdkDir, ...(own === undefined ? [] : [own])];
  if (roots.some((root) => isInside(path, root))) return true;
  return isBare(args.path) && packageRoot(path) !== undefined;
};

const zodSpecifier = (specifier: string, zod: ProjectScan["zod"]): string =>
  specifier === "zod" && zod === "3" ? "zod/v3" : specifier;

const resolveZod = async (
  build: PluginBuild,
  options: GuardOptions,
  args: OnResolveArgs,
): Promise<OnResolveResult> => {
  const { path, errors } = await build.resolve(zodSpecifier(args.path, options.zod), {
    kind: args.kind,
    resolveDir: options.toolchain.modulesDir,
    pluginData: OURS,
  });
  return errors.length > 0 ? refuse("unresolved_import", `${args.path} does not exist`) : { path };
};

const check = async (
  build: PluginBuild,
  options: GuardOptions,
  args: OnResolveArgs,
): Promise<OnResolveResult | undefined> => {
  const sdk = sdkImport(args.path, options.toolchain.sdkDir);
  if (sdk !== undefined) {
    return "found" in sdk ? { path: sdk.found } : refuse(sdk.code, sdk.reason);
  }
  const fromPackage = args.importer.includes(`${sep}node_modules${sep}`);
  if (/^zod(?:\/|$)/.test(args.path) && !fromPackage) return resolveZod(build, options, args);
  if (/^(?:https?:)?\/\//.test(args.path)) {
    return refuse("remote_import", `${args.path} is not part of the project`, "add a copy to lib/");
  }
  const named = namedPath(args);
  if (named !== undefined && !allows(options, args, named)) return outside(args.path);
  const { importer, kind, resolveDir, with: attributes } = args;
  const given = { importer, kind, resolveDir, with: attributes, pluginData: OURS };
  const result = await build.resolve(args.path, given);
  if (result.errors.length > 0 || result.external || result.namespace !== "file") return undefined;
  if (allows(options, args, realpathSync(result.path))) return undefined;
  return outside(args.path);
};

const outside = (specifier: string): OnResolveResult =>
  refuse(
    "import_outside_project",
    `${specifier} lies outside the project and is not uploaded with it`,
    "copy what is needed into the project",
  );

/**
 * Resolves what Berth provides and refuses what a build may not read. Everything else, missing
 * packages included, is left to esbuild, which knows about optional requires.
 */
export const importGuard = (options: GuardOptions): Plugin => ({
  name: "berth-import-guard",
  setup(build) {
    build.onResolve({ filter: /.*/ }, (args) => {
      if (args.pluginData === OURS || args.kind === "entry-point") return undefined;
      return check(build, options, args);
    });
  },
});
