/** The value below which `p` percent of the samples lie (nearest rank). */
export function percentile(samples: readonly number[], p: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const rank = Math.max(0, Math.ceil((p / 100) * sorted.length) - 1);
  return sorted[rank] ?? Number.NaN;
}

/** One figure over several runs. */
export interface Figure {
  median: number;
  min: number;
  max: number;
}

export const figureOf = (values: readonly number[]): Figure => ({
  median: percentile(values, 50),
  min: Math.min(...values),
  max: Math.max(...values),
});

/** Figures of one run by name; every run of a scenario has the same names. */
export type Run = Record<string, number>;

/** Median and range of each figure over the runs. */
export function summarize(runs: readonly Run[]): Record<string, Figure> {
  const names = Object.keys(runs[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [name, figureOf(runs.map((run) => run[name] ?? Number.NaN))]),
  );
}
