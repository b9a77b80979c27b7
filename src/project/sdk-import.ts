import { existsSync } from "node:fs";
import { join } from "node:path";
import { PROVIDED_SDKS } from "./read-package";

/** Subpaths of the authoring package and the modules they are. */
const SUBPATHS: Readonly<Record<string, string>> = {
  "": "index",
  tools: "tools",
  schedules: "schedules",
  reminders: "reminders",
  skills: "skills",
  channels: "channels/index",
  "channels/slack": "channels/slack",
  "channels/github": "channels/github",
  connections: "connections",
  extensions: "extensions/index",
  "extensions/jev": "extensions/jev",
  hooks: "hooks",
  artifacts: "artifacts",
  evals: "evals",
  prompt: "prompt",
  memory: "memory",
  storage: "storage/index",
  "storage/file-kv": "storage/file-kv",
  client: "client",
};

export type SdkImport =
  | { found: string }
  | { code: "vendor_service" | "vendor_internal_import" | "unknown_sdk_subpath"; reason: string };

const subpathOf = (specifier: string): string | undefined => {
  const sdk = PROVIDED_SDKS.find((name) => specifier === name || specifier.startsWith(`${name}/`));
  return sdk === undefined ? undefined : specifier.slice(sdk.length + 1);
};

/** The sources keep `channels/index.ts`, the built package `channels.js`. */
const moduleFile = (subpath: string, sdkDir: string): string | undefined => {
  const module = SUBPATHS[subpath];
  if (module === undefined) return undefined;
  const names = [`${module}.ts`, `${module}.js`, `${subpath}.js`];
  return names.map((name) => join(sdkDir, name)).find((file) => existsSync(file));
};

/**
 * Resolves an import of the authoring package under any of its names. `undefined` when the
 * specifier is something else; a code and a reason when it names what Berth does not have.
 */
export const sdkImport = (specifier: string, sdkDir: string): SdkImport | undefined => {
  const subpath = subpathOf(specifier);
  if (subpath === undefined) return undefined;
  const found = moduleFile(subpath.replace(/\.js$/, ""), sdkDir);
  if (found !== undefined) return { found };
  if (subpath.startsWith("extensions/cursor-")) {
    const reason = `${specifier} runs agents in another vendor's service, which Berth has not`;
    return { code: "vendor_service", reason };
  }
  if (/^(?:dist|src|lib|build|internal|esm|cjs)(?:\/|$)/.test(subpath)) {
    const reason = `${specifier} is an internal file of another package, not part of its interface`;
    return { code: "vendor_internal_import", reason };
  }
  const known = Object.keys(SUBPATHS).filter((name) => name !== "" && name !== "client");
  const reason = `${specifier} does not exist; the subpaths are ${known.join(", ")}`;
  return { code: "unknown_sdk_subpath", reason };
};
