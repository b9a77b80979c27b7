import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Inspection, inspectProject } from "../project";
import type { Diagnostic } from "../protocol/manifest";
import type { Cli } from "./cli";
import { projectDir } from "./config";
import { CliError, usageError } from "./exit-code";
import type { GlobalOptions } from "./global-options";
import type { Output } from "./output";
import { plainText } from "./plain-text";

const RUNTIME = join("dist", "runtime", "main.cjs");

/** The folder of this installation: the nearest one above this program that holds the runtime. */
function installationRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, RUNTIME))) {
    const parent = dirname(folder);
    if (parent === folder) {
      throw new CliError("not_built", "The agent program is not built.", { fix: "npm run build" });
    }
    folder = parent;
  }
  return folder;
}

function toolchainIn(root: string) {
  const built = join(root, "dist", "sdk");
  return { sdkDir: existsSync(built) ? built : join(root, "src", "sdk"), modulesDir: root };
}

function definedEnv(env: Cli["io"]["env"]): Record<string, string> {
  const entries = Object.entries(env).filter(([name]) => !name.startsWith("BERTH_"));
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Inspects the project folder offline; its code is loaded as `serve` would load it. */
export function inspectHere(cli: Cli, options: GlobalOptions): Promise<Inspection> {
  const dir = projectDir(cli, options);
  if (!existsSync(dir)) throw usageError(`There is no folder ${dir}.`, "Name it with --dir.");
  const root = installationRoot();
  return inspectProject(dir, {
    toolchain: toolchainIn(root),
    runtime: join(root, RUNTIME),
    env: definedEnv(cli.io.env),
  });
}

const placeOf = ({ file, line, column }: Diagnostic): string =>
  [file, line, column].filter((part) => part !== undefined).join(":");

/** One diagnostic for people: severity, code, place, message, and the fix below it. */
export function diagnosticText(diagnostic: Diagnostic, colors: Output["err"]): string {
  const { severity, code, message, fix } = diagnostic;
  const paint = severity === "error" ? colors.red : colors.yellow;
  const head = `${paint(`${severity}[${plainText(code)}]:`)} ${plainText(placeOf(diagnostic))}`;
  return `${head}: ${plainText(message)}${fix ? `\n  fix: ${plainText(fix)}` : ""}`;
}
