import { pathToFileURL } from "node:url";

export type Loader = () => Promise<Record<string, unknown>>;

/** What a bundle exports: one loader per definition, and the file each came from. */
export interface Bundle {
  definitions: Record<string, Loader | Record<string, Loader>>;
  files: Record<string, string>;
}

/** Imports the bundle's index; the definitions themselves load on first use. */
export async function loadBundle(path: string): Promise<Bundle> {
  const loaded: Partial<Bundle> = await import(pathToFileURL(path).href);
  if (typeof loaded.definitions !== "object" || loaded.definitions === null) {
    throw new Error(`${path} is not a Berth bundle: it exports no definitions.`);
  }
  return { definitions: loaded.definitions, files: loaded.files ?? {} };
}

/** Loader of the definition of that kind and name, own members only. */
export function loaderOf(bundle: Bundle, kind: string, name: string): Loader | undefined {
  const group = Object.hasOwn(bundle.definitions, kind) ? bundle.definitions[kind] : undefined;
  if (typeof group !== "object") return undefined;
  return Object.hasOwn(group, name) ? group[name] : undefined;
}

/** Loader of a kind that a project has once (`agent`, `instructions`, …). */
export function singleLoaderOf(bundle: Bundle, kind: string): Loader | undefined {
  const loader = Object.hasOwn(bundle.definitions, kind) ? bundle.definitions[kind] : undefined;
  return typeof loader === "function" ? loader : undefined;
}
