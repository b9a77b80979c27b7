import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { fileRefusal, Refusal } from "./refusal";

async function existsAsLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** The session's folder, and the only way from what a call names to a path. */
export class Workspace {
  private constructor(
    /** As the guest and the model know it. */
    readonly root: string,
    private readonly realRoot: string,
  ) {}

  static async open(root: string): Promise<Workspace> {
    return new Workspace(root, await realpath(root));
  }

  /**
   * The path behind all links; its last parts need not exist. Throws Refusal for one that is, or
   * leads, outside.
   */
  async resolve(given: string): Promise<string> {
    if (given.includes("\0")) throw new Refusal("A path holds no NUL character.");
    const path = resolve(this.root, given);
    if (!isWithin(this.root, path)) throw new Refusal(`${given} is outside the workspace.`);
    const real = await this.behindLinks(given, path);
    if (isWithin(this.realRoot, real)) return real;
    throw new Refusal(`${given} is a link that leaves the workspace.`);
  }

  /** How a real path is called in answers: relative to the workspace. */
  name(real: string): string {
    return relative(this.realRoot, real) || ".";
  }

  private async behindLinks(given: string, path: string): Promise<string> {
    try {
      return await realpath(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw fileRefusal(given, error);
    }
    if (await existsAsLink(path)) throw new Refusal(`${given} is a link to nothing.`);
    return join(await this.behindLinks(given, dirname(path)), basename(path));
  }
}

const isWithin = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
