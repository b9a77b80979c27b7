const UNITS: readonly (readonly [limitS: number, divisorS: number, letter: string])[] = [
  [60, 1, "s"],
  [3600, 60, "m"],
  [86_400, 3600, "h"],
  [86_400 * 60, 86_400, "d"],
  [86_400 * 730, 86_400 * 30, "mo"],
  [Number.POSITIVE_INFINITY, 86_400 * 365, "y"],
];

/** How far a moment is from now in one unit: `5m ago`, `in 3d`, `just now` below two seconds. */
export function formatAgo(at: Date, nowMs: number): string {
  const seconds = Math.round(Math.abs(nowMs - at.getTime()) / 1000);
  if (seconds < 2) return "just now";
  const [, divisor, letter] = UNITS.find(([limit]) => seconds < limit) ?? [0, 1, "s"];
  const amount = `${Math.floor(seconds / divisor)}${letter}`;
  return at.getTime() > nowMs ? `in ${amount}` : `${amount} ago`;
}

/** A duration for people, never `0s`: `<1 ms`, `840 ms`, `3.2 s`, `4m 05s`, `2h 10m`. */
export function formatDuration(ms: number): string {
  if (ms < 1) return "<1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes >= 60) return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
  return `${minutes}m ${String(Math.floor((ms % 60_000) / 1000)).padStart(2, "0")}s`;
}

/** A count that fits a column: `980`, `12.4k`, `3.1M`. */
export function formatCount(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_950) return `${(count / 1000).toFixed(1).replace(/\.0$/, "")}k`;
  return `${(count / 1_000_000).toFixed(1).replace(/\.0$/, "")}M`;
}

/** A size for people: `980 B`, `12.4 KiB`, `3.1 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const power = bytes < 1024 * 1023.95 ? 1 : 2;
  const amount = (bytes / 1024 ** power).toFixed(1).replace(/\.0$/, "");
  return `${amount} ${power === 1 ? "KiB" : "MiB"}`;
}

/** Money in US dollars; small sums keep the digits that matter. */
export function formatCost(usd: number): string {
  if (usd === 0) return "$0";
  return usd < 0.01 ? `$${usd.toPrecision(2)}` : `$${usd.toFixed(2)}`;
}

/** A moment without ambiguity: `2026-11-30 22:14:35 UTC`. */
export const formatUtc = (at: Date): string =>
  `${at.toISOString().slice(0, 19).replace("T", " ")} UTC`;
