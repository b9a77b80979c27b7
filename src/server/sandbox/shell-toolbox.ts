import { execFile } from "node:child_process";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Mount } from "./bwrap-arguments";
import { librariesOf, reachable } from "./guest-files";
import { MINIMAL_ENV } from "./minimal-env";
import { SHELL_DATA, SHELL_PROGRAMS, type ShellProgram } from "./shell-programs";

const run = promisify(execFile);

/** Where programs are looked for; a person's own `PATH` would lead into somebody's home. */
const SEARCHED = ["/usr/bin", "/bin", "/usr/local/bin"];
const INSIDE_BIN = "/usr/bin";
const PYTHON_LIBRARY = "import sysconfig; print(sysconfig.get_path('stdlib'))";

/** What a session's shell sees beside its workspace: programs, their libraries and their data. */
export interface ShellToolbox {
  mounts: Mount[];
  libraries: string[];
}

/** A path's end behind all links, if users without rights can reach it. */
async function usable(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return (await reachable(real)) ? real : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function findProgram(name: string): Promise<string | undefined> {
  for (const folder of SEARCHED) {
    const found = await usable(join(folder, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

async function filesIn(folder: string, pattern: RegExp): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => pattern.test(name));
  return names.map((name) => join(folder, name));
}

const isFolder = async (path: string): Promise<boolean> =>
  (await usable(path)) !== undefined && (await stat(path)).isDirectory();

/** Python's standard library and its compiled modules, where this machine has Python. */
async function pythonProgram(): Promise<ShellProgram | undefined> {
  const python = await findProgram("python3");
  if (python === undefined) return undefined;
  const { stdout } = await run(python, ["-I", "-c", PYTHON_LIBRARY], { env: MINIMAL_ENV });
  const library = stdout.trim();
  const folders = [library, join(library, "lib-dynload")];
  return { name: "python3", folders, loads: [/\.so$/] };
}

/** The mounts of one program and the files whose libraries it needs; nothing if it is not here. */
async function inventory(program: ShellProgram): Promise<{ mounts: Mount[]; binaries: string[] }> {
  const source = await findProgram(program.name);
  if (source === undefined) return { mounts: [], binaries: [] };
  const mounts: Mount[] = [{ source, target: join(INSIDE_BIN, program.name) }];
  const binaries = [source];
  for (const folder of program.folders ?? []) {
    if (!(await isFolder(folder))) continue;
    mounts.push({ source: folder, target: folder });
    for (const pattern of program.loads ?? []) binaries.push(...(await filesIn(folder, pattern)));
  }
  return { mounts, binaries };
}

const isBelowAnother = ({ source }: Mount, all: readonly Mount[]): boolean =>
  all.some((other) => source.startsWith(`${other.source}/`));

/** Finds the allowed programs that this machine has. Takes a second; once per driver. */
export async function findShellToolbox(): Promise<ShellToolbox> {
  const python = await pythonProgram();
  const programs = python ? [...SHELL_PROGRAMS, python] : SHELL_PROGRAMS;
  const found = await Promise.all(programs.map(inventory));
  const data = await Promise.all(
    SHELL_DATA.map(async (path) =>
      (await isFolder(path)) ? [{ source: path, target: path }] : [],
    ),
  );
  const mounts = [...found.flatMap((item) => item.mounts), ...data.flat()];
  return {
    mounts: mounts.filter((mount) => !isBelowAnother(mount, mounts)),
    libraries: await librariesOf([...new Set(found.flatMap((item) => item.binaries))]),
  };
}
