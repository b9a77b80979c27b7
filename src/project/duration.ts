const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d{1,9})([smhd])$/;

/** Milliseconds of a duration such as `90s`, `30m`, `2h` or `7d`; `undefined` for anything else. */
export const durationMs = (text: string): number | undefined => {
  const [, count, unit] = DURATION.exec(text) ?? [];
  const factor = UNITS[unit as keyof typeof UNITS];
  return count === undefined || factor === undefined ? undefined : Number(count) * factor;
};
