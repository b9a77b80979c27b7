import { execFile } from "node:child_process";
import { constants, existsSync } from "node:fs";
import { chmod, copyFile, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { makeRunFolder } from "./run-folder";

const run = promisify(execFile);

/** Files that every sandbox of one driver shares, in a folder that other users may enter. */
export interface GuestFiles {
  /** Folder of this driver; also holds each sandbox's socket folder. Kept short for the sockets. */
  runDir: string;
  node: string;
  main: string;
  shell: string;
  netShim: string;
  etc: string;
  /** Sets the limit of tasks from inside, where it counts those of one sandbox alone. */
  prlimit: string;
  /** Shared libraries that these programs need. */
  libraries: string[];
}

/** The machine's certificate authorities, the operator's own among them. Same path inside. */
export const CA_BUNDLE = "/etc/ssl/certs/ca-certificates.crt";
const PRLIMIT = ["/usr/bin/prlimit", "/bin/prlimit"];
const PROGRAMS = ["main.cjs", "shell.cjs", "net-shim.cjs"];
const ETC: Record<string, string> = {
  passwd: "agent:x:1000:1000:agent:/tmp:/bin/sh\n",
  group: "agent:x:1000:\n",
  hosts: "127.0.0.1 localhost\n::1 localhost\n",
  "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
};

/** Makes Node trust what the machine trusts, as a registry inside a company needs it. */
export const trustEnv = (): Record<string, string> =>
  existsSync(CA_BUNDLE) ? { NODE_EXTRA_CA_CERTS: CA_BUNDLE } : {};

/** Whether a user without rights may reach a file: every folder above it can be entered. */
export async function reachable(path: string): Promise<boolean> {
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) return false;
  }
  return ((await stat(path)).mode & 0o005) === 0o005;
}

/** Absolute paths of the shared libraries that these files load; scripts load none. */
export async function librariesOf(binaries: readonly string[]): Promise<string[]> {
  // It fails when one of several files is a script, and still tells about the others.
  const stdout = await run("ldd", binaries).then(
    (done) => done.stdout,
    (error: { stdout?: string }) => {
      if (binaries.length > 1 && error.stdout) return error.stdout;
      throw error;
    },
  );
  const lines = stdout.split("\n").filter((line) => /^\s/.test(line));
  return [...new Set(lines.flatMap((line) => /(\/\S+)/.exec(line)?.[1] ?? []))];
}

async function writeEtc(etc: string): Promise<void> {
  await mkdir(join(etc, "ssl/certs"), { recursive: true });
  for (const [name, text] of Object.entries(ETC)) await writeFile(join(etc, name), text);
  if (existsSync(CA_BUNDLE)) await copyFile(CA_BUNDLE, join(etc, "ssl/certs/ca-certificates.crt"));
}

async function reachableNode(runDir: string): Promise<string> {
  if (await reachable(process.execPath)) return process.execPath;
  // A Node below somebody's home cannot be executed by the sandboxes' users where it is.
  const copy = join(runDir, "node");
  await copyFile(process.execPath, copy, constants.COPYFILE_FICLONE);
  await chmod(copy, 0o755);
  return copy;
}

/** Prepares what sandboxes share. `runtimeDir` holds the bundles of `PROGRAMS`. */
export async function prepareGuestFiles(runtimeDir: string): Promise<GuestFiles> {
  const runDir = await makeRunFolder();
  const guest = join(runDir, "guest");
  await mkdir(guest);
  for (const file of PROGRAMS) {
    await copyFile(join(runtimeDir, file), join(guest, file));
    await chmod(join(guest, file), 0o644);
  }
  const etc = join(runDir, "etc");
  await writeEtc(etc);
  const node = await reachableNode(runDir);
  const prlimit = PRLIMIT.find((path) => existsSync(path));
  const programs = prlimit === undefined ? [node] : [node, prlimit];
  return {
    runDir,
    node,
    main: join(guest, "main.cjs"),
    shell: join(guest, "shell.cjs"),
    netShim: join(guest, "net-shim.cjs"),
    etc,
    prlimit: prlimit ?? "prlimit",
    libraries: process.platform === "linux" ? await librariesOf(programs) : [],
  };
}

/** Removes what `prepareGuestFiles` made. */
export const removeGuestFiles = (files: GuestFiles): Promise<void> =>
  rm(files.runDir, { recursive: true, force: true });
