import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { GuestFiles } from "./guest-files";

/** Where things are inside a sandbox. */
export const INSIDE = {
  node: "/opt/node/bin/node",
  prlimit: "/opt/limit/prlimit",
  main: "/opt/berth/main.cjs",
  shell: "/opt/berth/shell.cjs",
  netShim: "/opt/berth/net-shim.cjs",
  app: "/app",
  workspace: "/workspace",
  state: "/state",
  egress: "/run/berth",
  build: "/build",
} as const;

export const EGRESS_SOCKET = "egress.sock";

/** Facts about the host's kernel that a guest has no business reading. */
const MASKED = [
  "/proc/kcore",
  "/proc/keys",
  "/proc/timer_list",
  "/proc/kallsyms",
  "/proc/cmdline",
  "/proc/modules",
  "/proc/diskstats",
  "/proc/partitions",
];

const NAMESPACES = [
  "--unshare-user",
  "--unshare-ipc",
  "--unshare-pid",
  "--unshare-net",
  "--unshare-uts",
  "--unshare-cgroup-try",
  "--disable-userns",
  ...["--uid", "1000", "--gid", "1000", "--hostname", "sandbox"],
  ...["--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"],
];

export interface Mount {
  source: string;
  target: string;
  writable?: boolean;
}

/** A symbolic link in the guest's root. */
export interface Link {
  path: string;
  target: string;
}

const bind = ({ source, target, writable }: Mount): string[] => [
  writable ? "--bind" : "--ro-bind",
  source,
  target,
];

const tmpfs = (path: string, megabytes: number): string[] => [
  ...["--size", String(megabytes * 1024 * 1024), "--perms", "1777", "--tmpfs", path],
];

/** Options of bubblewrap for a root that holds Node, its libraries and these mounts, no more. */
export function bwrapArguments(
  files: GuestFiles,
  mounts: readonly Mount[],
  options: { tmpMb: number; cwd: string; libraries?: readonly string[]; links?: readonly Link[] },
): string[] {
  const libraries = new Set([...files.libraries, ...(options.libraries ?? [])]);
  return [
    ...NAMESPACES,
    ...["--proc", "/proc", "--dev", "/dev"],
    ...tmpfs("/dev/shm", options.tmpMb),
    // An unsized tmpfs: whatever was written here would be memory nobody counts.
    ...["--remount-ro", "/dev"],
    ...tmpfs("/tmp", options.tmpMb),
    ...[...libraries].flatMap((library) => bind({ source: library, target: library })),
    ...bind({ source: files.node, target: INSIDE.node }),
    ...bind({ source: files.prlimit, target: INSIDE.prlimit }),
    ...bind({ source: dirname(files.main), target: dirname(INSIDE.main) }),
    ...bind({ source: files.etc, target: "/etc" }),
    ...mounts.flatMap(bind),
    ...(options.links ?? []).flatMap(({ target, path }) => ["--symlink", target, path]),
    ...MASKED.filter((path) => existsSync(path)).flatMap((path) =>
      bind({ source: "/dev/null", target: path }),
    ),
    ...["--remount-ro", "/", "--chdir", options.cwd],
  ];
}
