import { sameFile } from "./saved-file";
import { setFile, type Tree } from "./tree";
import { setCatalogue, type VersionLayer } from "./version-layer";

/** Fills a new workspace with what its version brings. */
export async function fillTree(tree: Tree, layer: VersionLayer): Promise<void> {
  for (const [path, file] of [...layer.seeds, ...layer.owned]) setFile(tree, path, file);
  await setCatalogue(tree, layer.catalogue);
}

/**
 * Brings a workspace from one version to another: skills, tools and the catalogue follow; a seed
 * file does only where the agent left it as it was.
 * @param old absent when the earlier version cannot be read any more
 */
export async function refreshTree(
  tree: Tree,
  old: VersionLayer | undefined,
  layer: VersionLayer,
): Promise<void> {
  for (const path of old?.owned.keys() ?? []) tree.delete(path);
  for (const [path, file] of layer.owned) setFile(tree, path, file);
  // The block is no change of the agent's: seeds are compared without it.
  await setCatalogue(tree, "");
  const asSeeded = (path: string): boolean => {
    const [current, seed] = [tree.get(path), old?.seeds.get(path)];
    return current && seed ? sameFile(current, seed) : !current && !seed;
  };
  const untouched = [...new Set([...(old?.seeds.keys() ?? []), ...layer.seeds.keys()])].filter(
    asSeeded,
  );
  for (const path of untouched) {
    const seed = layer.seeds.get(path);
    if (seed) setFile(tree, path, seed);
    else tree.delete(path);
  }
  await setCatalogue(tree, layer.catalogue);
}
