import { randomInt } from "node:crypto";

/**
 * Pseudo-random numbers (mulberry32) from BERTH_FAULT_SEED, or from a fresh seed, which is printed
 * so that a failed run can be repeated. @returns numbers in [0, 1)
 */
export function seededRandom(name: string): () => number {
  const seed = Number(process.env.BERTH_FAULT_SEED ?? randomInt(2 ** 31));
  process.stdout.write(`${name}: BERTH_FAULT_SEED=${seed}\n`);
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** How often a fault is repeated: the bounded number, or the full one with BERTH_FAULTS=full. */
export const rounds = (bounded: number, full: number): number =>
  process.env.BERTH_FAULTS === "full" ? full : bounded;
