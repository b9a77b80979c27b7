import { z } from "zod";
import type { Diagnostic } from "../protocol/manifest";
import { errorAt, locate, warningAt } from "./diagnostics";
import { readText } from "./read-text";
import type { Walk } from "./walk";

const FILE = "package.json";
const Ranges = z.record(z.string(), z.string()).optional();
const Package = z.object({
  name: z.string().optional(),
  description: z.string().optional(),
  dependencies: Ranges,
  devDependencies: Ranges,
  optionalDependencies: Ranges,
  peerDependencies: Ranges,
});
export type Package = z.infer<typeof Package>;

/** Packages that Berth provides at build and never installs. */
export const PROVIDED_SDKS = [
  "openberth",
  "berth",
  "@cursor/bdk",
  "@cursor/july",
  "@cursor/agent-sdk",
  "@grok/agent-sdk",
] as const;

export const isProvided = (name: string): boolean =>
  name === "zod" || PROVIDED_SDKS.some((sdk) => sdk === name);

/** Reads package.json, which a project may leave out. */
export const readPackage = async (walk: Walk): Promise<Package> => {
  if (!walk.files.includes(FILE)) return {};
  const text = await readText(walk, FILE);
  if (text === undefined) return {};
  try {
    const parsed = Package.parse(JSON.parse(text));
    for (const diagnostic of refusedDependencies(parsed, text)) walk.report(diagnostic);
    if (!walk.files.includes("package-lock.json") && needsInstall(parsed)) walk.report(noLock());
    return parsed;
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    walk.report(
      errorAt("invalid_package_json", `package.json cannot be read: ${reason}`, { file: FILE }),
    );
    return {};
  }
};

/** What has to be installed: runtime dependencies that Berth does not provide. */
export const installable = (parsed: Package): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...parsed.optionalDependencies, ...parsed.dependencies }).filter(
      ([name]) => !isProvided(name),
    ),
  );

const needsInstall = (parsed: Package): boolean => Object.keys(installable(parsed)).length > 0;

/** The major version of Zod that the project's range asks for. */
export const zodOf = (parsed: Package): "3" | "4" => {
  const range =
    parsed.dependencies?.zod ?? parsed.peerDependencies?.zod ?? parsed.devDependencies?.zod;
  return range !== undefined && /^[\^~=v\s>]*3(?:\D|$)/.test(range) && !/\|\||>=/.test(range)
    ? "3"
    : "4";
};

const noLock = (): Diagnostic =>
  warningAt(
    "no_lockfile",
    "dependencies without package-lock.json may change from build to build",
    {
      file: FILE,
      fix: "run npm install and deploy package-lock.json too",
    },
  );

const REFUSED =
  /^(?:git[+:]|ssh:|https?:|github:|gitlab:|bitbucket:|gist:|link:|workspace:|[\w.-]+@[\w.-]+:|[\w.-]+\/[\w.-]+(?:#.*)?$)/;
const OUTSIDE = /^file:(?:\/|~|(?:.*\/)?\.\.(?:\/|$))/;

const refusedDependencies = (parsed: Package, text: string): Diagnostic[] =>
  Object.entries(installable(parsed))
    .filter(([, range]) => REFUSED.test(range) || OUTSIDE.test(range))
    .map(([name, range]) =>
      errorAt("unsupported_dependency", `${name} comes from ${range}, which a build cannot reach`, {
        file: FILE,
        ...locate(text, new RegExp(`"${escapeName(name)}"\\s*:`)),
        fix: "use a version of the registry, or a copy inside the project",
      }),
    );

const escapeName = (name: string): string => name.replace(/[^\w]/g, "\\$&");
