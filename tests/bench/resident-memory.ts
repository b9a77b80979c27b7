import { readFile } from "node:fs/promises";

/** Resident memory of a process in MiB; Linux only. */
export async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

/** Samples a process until `stop`, which answers the most it had. */
export function watchMemory(pid: number, everyMs = 20) {
  let peak = 0;
  const sample = async () => {
    peak = Math.max(peak, await residentMiB(pid));
  };
  const timer = setInterval(() => void sample(), everyMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await sample();
      return peak;
    },
  };
}
