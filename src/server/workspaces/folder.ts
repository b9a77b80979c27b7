import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, rm, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** An open folder of a workspace. Its entries are reached through it, so that no link leads away. */
export class Folder {
  private constructor(
    private readonly handle: FileHandle,
    private readonly path: string,
  ) {}

  /** Opens a folder that must be one itself, not a link to one. */
  static async open(path: string, seenAs = path): Promise<Folder> {
    return new Folder(await open(path, FOLDER), seenAs);
  }

  /** Path of an entry, good while the folder is open. The entry itself may still be a link. */
  at(name: string): string {
    // Other systems have no such view of open files; tenants' walls are for Linux alone.
    return process.platform === "linux"
      ? `/proc/self/fd/${this.handle.fd}/${name}`
      : join(this.path, name);
  }

  names(): Promise<string[]> {
    return readdir(this.at("."));
  }

  inner(name: string): Promise<Folder> {
    return Folder.open(this.at(name), join(this.path, name));
  }

  /** The folder of that name, made where there is none; whatever else has the name is removed. */
  async make(name: string, owner: Owner): Promise<Folder> {
    try {
      return await this.inner(name);
    } catch (error) {
      const code = codeOf(error);
      if (code === "ENOTDIR" || code === "ELOOP") await this.remove(name);
      else if (code !== "ENOENT") throw error;
    }
    await mkdir(this.at(name), { mode: 0o755 });
    const made = await this.inner(name);
    await made.give(owner);
    return made;
  }

  stat() {
    return this.handle.stat();
  }

  /** Gives the folder itself to a user, where this process may. */
  async give({ uid, gid }: Owner): Promise<void> {
    if (process.getuid?.() === 0) await this.handle.chown(uid, gid);
  }

  /** Removes an entry and all below it; quietly when it is not there. */
  async remove(name: string): Promise<void> {
    if (process.platform !== "linux") {
      return await rm(this.at(name), { recursive: true, force: true });
    }
    try {
      if (!(await lstat(this.at(name))).isDirectory()) return await unlink(this.at(name));
      await (await this.inner(name)).use(async (inner) => {
        for (const entry of await inner.names()) await inner.remove(entry);
      });
      await rmdir(this.at(name));
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
    }
  }

  /** Runs work with the folder and closes it. */
  async use<T>(work: (folder: this) => Promise<T>): Promise<T> {
    try {
      return await work(this);
    } finally {
      await this.handle.close();
    }
  }
}

/** Whose files those of a workspace are. */
export interface Owner {
  uid: number;
  gid: number;
}
