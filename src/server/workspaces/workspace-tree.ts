import type { Manifest } from "../../protocol/manifest";
import { loadVersion } from "../agents";
import { AppError } from "../platform/errors";
import type { AgentRef, Sandboxes } from "../sandbox";
import { fillTree, refreshTree } from "./apply-version";
import { layerOf } from "./layer-of";
import type { SavedWorkspace } from "./read-saved";
import { setFile, type Tree } from "./tree";
import { unavailable } from "./unavailable";
import type { VersionLayer } from "./version-layer";

export type Folders = Pick<Sandboxes, "workspaceFolder">;

export interface WorkspaceVersion {
  ref: AgentRef;
  sessionId: string;
  manifest: Manifest;
}

/**
 * What a session's workspace is to hold now: what is saved, brought to the version that runs, with
 * the files of messages that are not in it yet.
 */
export async function workspaceTree(
  { ref, sessionId, manifest }: WorkspaceVersion,
  saved: SavedWorkspace,
  folders: Folders,
): Promise<Tree> {
  const tree: Tree = new Map(saved.files);
  const { bundleDir } = await folders.workspaceFolder(ref, sessionId);
  if (saved.version !== ref.version) {
    const layer = await layerOf(ref.version, manifest, bundleDir).catch(unavailable);
    if (saved.version === null) await fillTree(tree, layer);
    else await refreshTree(tree, await oldLayer(ref, sessionId, saved.version, folders), layer);
  }
  for (const { files } of saved.messages) {
    for (const [path, file] of files) setFile(tree, path, file);
  }
  return tree;
}

/** An earlier version may have been removed with its bundle; then its seed files stay as they are. */
async function oldLayer(
  { orgId, agentId }: AgentRef,
  sessionId: string,
  version: number,
  folders: Folders,
): Promise<VersionLayer | undefined> {
  const ref = { orgId, agentId, version };
  try {
    const { manifest } = await loadVersion(ref);
    const { bundleDir } = await folders.workspaceFolder(ref, sessionId);
    return await layerOf(version, manifest, bundleDir);
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return undefined;
    throw error;
  }
}
