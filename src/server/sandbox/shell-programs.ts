/** A program that sessions' shells may run. */
export interface ShellProgram {
  name: string;
  /** Folders it cannot work without, where they are on usual systems. */
  folders?: readonly string[];
  /** Files in those folders that load libraries of their own. */
  loads?: readonly RegExp[];
}

const plain = (names: string): ShellProgram[] => names.split(" ").map((name) => ({ name }));

/**
 * Every program a session's shell may run, if this machine has it; nothing else of the host's
 * `/usr` is there. Node comes with the sandbox itself.
 */
export const SHELL_PROGRAMS: readonly ShellProgram[] = [
  ...plain("sh bash"),
  ...plain("arch b2sum base32 base64 basename basenc cat chmod cksum comm cp csplit cut date dd"),
  ...plain("df dir dirname du echo env expand expr factor false fmt fold head id install join"),
  ...plain("link ln ls md5sum mkdir mkfifo mktemp mv nl nohup nproc numfmt od paste pathchk pr"),
  ...plain("printenv printf ptx pwd readlink realpath rm rmdir seq sha1sum sha224sum sha256sum"),
  ...plain("sha384sum sha512sum shred shuf sleep sort split stat stdbuf sum sync tac tail tee"),
  ...plain("test timeout touch tr true truncate tsort tty uname unexpand uniq unlink vdir wc"),
  ...plain("whoami yes ["),
  ...plain("grep egrep fgrep sed awk find xargs diff cmp diff3 sdiff patch which rev column"),
  ...plain("tar gzip gunzip zcat bzip2 bunzip2 xz unxz zstd zip unzip"),
  ...plain("ps kill pkill pgrep setsid flock hexdump xxd bc"),
  ...plain("jq curl"),
  {
    name: "git",
    folders: ["/usr/lib/git-core", "/usr/libexec/git-core", "/usr/share/git-core"],
    loads: [/^git-remote-https?$/, /^git-http-(fetch|push)$/],
  },
];

/** Data that several programs read: time zones and the one locale. */
export const SHELL_DATA: readonly string[] = ["/usr/share/zoneinfo", "/usr/lib/locale/C.utf8"];
