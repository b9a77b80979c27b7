import { lstat, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openFolder, removeTree } from "./no-follow";
import { ownFolder } from "./own-folder";
import { SandboxError } from "./sandbox-error";

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

/** Where one agent's workspaces are on this worker. This process is the only one that uses it. */
export interface WorkspacePlace {
  /** Holds `parked`, `scratch` and the folders that are mounted. */
  root: string;
  /** The mounted folder: `agent`, or the session's own. */
  mounted: string;
}

/** Ends what works in a workspace: all of it, or what no call uses. */
type EndWork = (place: WorkspacePlace, name: string, which: "all" | "unused") => Promise<void>;

const mountedPath = ({ root, mounted }: WorkspacePlace): string => join(root, "live", mounted);

/** Removes a folder's entry without following links; quietly when it is not there. */
async function removeEntry(parent: string, name: string): Promise<void> {
  if (process.platform !== "linux") {
    await rm(join(parent, name), { recursive: true, force: true });
    return;
  }
  const folder = await openFolder(parent);
  try {
    await removeTree(folder, name);
  } finally {
    await folder.close();
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

async function entries(path: string): Promise<string[]> {
  await mkdir(path, { recursive: true });
  return readdir(path);
}

/**
 * The workspaces of agents on this worker. A session's folder is below the mounted one only while
 * a call of that session runs; between calls it is parked outside. Scratch folders end with their call.
 */
export class WorkspaceFolders {
  private readonly users = new Map<string, number>();
  private readonly lanes = new Map<string, Promise<unknown>>();
  private readonly enders: EndWork[] = [];
  private readonly settled = new Map<string, Promise<void>>();

  /** Host path of the folder to mount. First removes and parks what a crash left in it. */
  async mount(place: WorkspacePlace): Promise<string> {
    const path = mountedPath(place);
    const settled = this.settled.get(path) ?? this.settle(place, path);
    this.settled.set(path, settled);
    await settled;
    return path;
  }

  /** Makes a workspace reachable for a call, and says where it is. Pair with `leave`. */
  async enter(
    place: WorkspacePlace,
    name: string,
    scratch: boolean,
    uid?: number,
  ): Promise<string> {
    if (!NAME.test(name)) throw new SandboxError("sandbox_failed", `Bad workspace name: ${name}`);
    await this.inLane(place, name, async (path, count) => {
      if (count === 0 && scratch) await writeFile(join(place.root, "scratch", name), "");
      if (count === 0 && !scratch && !(await isFolder(path))) await this.unpark(place, name, path);
      // Also for a later call: the first may be of a shell, whose user is not known before it runs.
      await ownFolder(path, uid);
      return count + 1;
    });
    return join(mountedPath(place), name);
  }

  /** Ends a call's use of a workspace; the last one parks or removes it. */
  leave(place: WorkspacePlace, name: string, scratch: boolean): Promise<void> {
    return this.inLane(place, name, async (path, count) => {
      if (count > 1) return count - 1;
      if (scratch) await this.discard(place, name);
      else await this.park(place, name, path);
      return 0;
    });
  }

  /**
   * Runs host work on a workspace's folder, wherever it is, while no call enters or leaves it. Calls
   * that run go on, so the folder may change at any moment. It is made if there is none.
   */
  async hold<T>(
    place: WorkspacePlace,
    name: string,
    work: (path: string) => Promise<T>,
  ): Promise<T> {
    if (!NAME.test(name)) throw new SandboxError("sandbox_failed", `Bad workspace name: ${name}`);
    await this.mount(place);
    const done: { value?: T } = {};
    await this.inLane(place, name, async (live, count) => {
      const path = count > 0 ? live : join(place.root, "parked", name);
      await mkdir(path, { recursive: true, mode: 0o700 });
      done.value = await work(path);
      return count;
    });
    return done.value as T;
  }

  /** Has `end` run when nobody needs a workspace for now, and before it is removed. */
  onRest(end: EndWork): void {
    this.enders.push(end);
  }

  /** Ends what works in a workspace without a call; for when its turn is over. */
  async rest(place: WorkspacePlace, name: string): Promise<void> {
    await Promise.all(this.enders.map((end) => end(place, name, "unused")));
  }

  /** Removes a session's workspace for good. */
  async remove(place: WorkspacePlace, name: string): Promise<void> {
    await this.mount(place);
    await Promise.all(this.enders.map((end) => end(place, name, "all")));
    await this.inLane(place, name, async (_path, count) => {
      await removeEntry(mountedPath(place), name);
      await removeEntry(join(place.root, "parked"), name);
      return count;
    });
  }

  private async settle(place: WorkspacePlace, path: string): Promise<void> {
    await mkdir(path, { recursive: true, mode: 0o711 });
    await mkdir(join(place.root, "parked"), { recursive: true, mode: 0o700 });
    for (const name of await entries(join(place.root, "scratch"))) {
      if (await isFolder(join(path, name))) await this.discard(place, name);
    }
    for (const name of await readdir(path)) await this.park(place, name, join(path, name));
  }

  private async discard(place: WorkspacePlace, name: string): Promise<void> {
    await removeEntry(mountedPath(place), name);
    await rm(join(place.root, "scratch", name), { force: true });
  }

  private async park(place: WorkspacePlace, name: string, path: string): Promise<void> {
    if (!(await isFolder(path))) return removeEntry(mountedPath(place), name);
    await removeEntry(join(place.root, "parked"), name);
    await rename(path, join(place.root, "parked", name));
  }

  private async unpark(place: WorkspacePlace, name: string, path: string): Promise<void> {
    const parked = join(place.root, "parked", name);
    await removeEntry(mountedPath(place), name);
    if (await isFolder(parked)) await rename(parked, path);
  }

  /** Runs one change of a workspace at a time; `change` returns how many calls use it after. */
  private inLane(
    place: WorkspacePlace,
    name: string,
    change: (path: string, count: number) => Promise<number>,
  ): Promise<void> {
    const path = join(mountedPath(place), name);
    const run = async () => {
      const count = await change(path, this.users.get(path) ?? 0);
      if (count > 0) this.users.set(path, count);
      else this.users.delete(path);
    };
    const result = (this.lanes.get(path) ?? Promise.resolve()).then(run);
    const lane = result.catch(() => undefined);
    this.lanes.set(path, lane);
    void lane.then(() => {
      if (this.lanes.get(path) === lane) this.lanes.delete(path);
    });
    return result;
  }
}
