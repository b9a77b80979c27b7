import type { BigIntStats } from "node:fs";

/**
 * What tells that a file was not touched since: its change time cannot be set by whoever owns it.
 */
export interface Stamp {
  ino: string;
  size: number;
  mode: number;
  ctimeNs: string;
  /** When it was taken, in milliseconds since 1970. */
  takenMs: number;
}

/** Longer than a tick of the clock that change times are taken from. */
const TICK_MS = 50;
const NS_PER_MS = 1_000_000n;

export const stampOf = (stat: BigIntStats, takenMs: number): Stamp => ({
  ino: String(stat.ino),
  size: Number(stat.size),
  mode: Number(stat.mode),
  ctimeNs: String(stat.ctimeNs),
  takenMs,
});

/** Whether a file is what it was when the stamp was taken. */
export const isUntouched = (stamp: Stamp, stat: BigIntStats): boolean =>
  isAlike(stamp, stat) && Number(stat.ctimeNs / NS_PER_MS) + TICK_MS < stamp.takenMs;

/** The same, but a change within the clock tick of the stamp would not show. */
export const isAlike = (stamp: Stamp, stat: BigIntStats): boolean =>
  stamp.ino === String(stat.ino) &&
  stamp.size === Number(stat.size) &&
  stamp.mode === Number(stat.mode) &&
  stamp.ctimeNs === String(stat.ctimeNs);
