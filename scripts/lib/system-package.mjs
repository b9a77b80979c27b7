import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { say } from "./phase.mjs";
import { runCommand } from "./run-command.mjs";

/** System programs we can use, and the Debian packages that bring them. */
export const PROGRAMS = {
  bubblewrap: { commands: ["bwrap"], packages: ["bubblewrap"] },
  chromium: {
    commands: ["chromium", "chromium-browser", "google-chrome"],
    packages: ["chromium", "fonts-dejavu-core"],
  },
  redis: { commands: ["redis-server"], packages: ["redis-server"] },
};

const MANAGERS = [
  ["apt-get", "apt-get install -y --no-install-recommends"],
  ["dnf", "dnf install -y"],
  ["pacman", "pacman -S --noconfirm"],
  ["apk", "apk add"],
  ["zypper", "zypper install -y"],
];

/** The absolute path of the first of these commands on PATH, or undefined. */
export function findCommand(commands) {
  for (const dir of (process.env.PATH ?? "").split(delimiter)) {
    for (const command of commands) {
      const path = join(dir, command);
      if (dir && existsSync(path)) return path;
    }
  }
  return undefined;
}

const isRoot = () => process.getuid?.() === 0;

/** The command a person would type to install `program` on this machine. */
export function installCommand(program) {
  const manager = MANAGERS.find(([command]) => findCommand([command]));
  const packages = PROGRAMS[program].packages.join(" ");
  if (!manager) return `install ${packages} with your system's package manager`;
  return `${isRoot() ? "" : "sudo "}${manager[1]} ${packages}`;
}

async function aptInstall(packages) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const install = ["install", "-y", "--no-install-recommends", ...packages];
  const first = await runCommand("apt-get", install, { env });
  if (first.code === 0) return;
  await runCommand("apt-get", ["update"], { env });
  const second = await runCommand("apt-get", install, { env });
  if (second.code !== 0) say(second.output.trim().split("\n").slice(-5).join("\n"));
}

/**
 * The path of `program`, installing it first where that needs no question: as root on Debian or
 * Ubuntu, after saying so. Undefined when it is not there and could not be installed.
 */
export async function ensureProgram(program) {
  const { commands, packages } = PROGRAMS[program];
  const found = findCommand(commands);
  if (found) return found;
  if (!isRoot() || !existsSync("/etc/debian_version") || !findCommand(["apt-get"]))
    return undefined;
  say(`  ${program} is missing; installing it: apt-get install -y ${packages.join(" ")}`);
  await aptInstall(packages);
  return findCommand(commands);
}

/** Why bubblewrap at `path` cannot make a namespace here, or undefined when it can. */
export function bubblewrapFault(path) {
  const args = ["--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"];
  const { status, stderr, error } = spawnSync(path, args, { encoding: "utf8", timeout: 10_000 });
  if (status === 0) return undefined;
  return error?.message ?? (stderr.trim() || `exit code ${status}`);
}
