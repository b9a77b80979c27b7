/**
 * The groups of the programs that were started and may still have members. Where the shell has a
 * namespace of its own they end with it; where it has none, somebody has to end them.
 */
const groups = new Set<number>();

/** Sends a signal to a group; `false` if nobody of ours is in it. 0 only asks. */
function signalGroup(group: number, signal: "SIGKILL" | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    if (!/^(ESRCH|EPERM)$/.test((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return false;
  }
}

/** Notes a group that a program was started in, and forgets those that are empty. */
export function noteGroup(group: number): void {
  for (const known of groups) if (!signalGroup(known, 0)) groups.delete(known);
  groups.add(group);
}

/** Ends every process of a group. */
export function killGroup(group: number): void {
  signalGroup(group, "SIGKILL");
}

/** Ends all that was started and is left. */
export function killGroups(): void {
  for (const group of groups) killGroup(group);
  groups.clear();
}
