import type { Manifest } from "../../protocol/manifest";
import { type VersionLayer, versionLayer } from "./version-layer";

const CACHED = 100;
/** By the folder of the bundle, which never changes, and the version; the first is dropped first. */
const cache = new Map<string, Promise<VersionLayer>>();

/** What a version brings into workspaces, read once. */
export function layerOf(
  version: number,
  manifest: Manifest,
  bundleDir: string,
): Promise<VersionLayer> {
  const key = `${version} ${bundleDir}`;
  const layer = cache.get(key) ?? versionLayer({ manifest, bundleDir });
  cache.delete(key);
  cache.set(key, layer);
  layer.catch(() => cache.delete(key));
  const [oldest] = cache.keys();
  if (cache.size > CACHED && oldest !== undefined) cache.delete(oldest);
  return layer;
}
