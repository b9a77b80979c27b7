import type { Calibration } from "./calibrate";
import type { Figure } from "./statistics";

interface Bar {
  /** `<scenario>.<figure>`. */
  figure: string;
  /** Calibration loop the figure is measured by; `none` for times that no machine shortens. */
  basis: keyof Calibration | "none";
  better: "lower" | "higher";
  /** Operations of the basis in that time, or the figure's rate per rate of the basis. */
  bar: number;
}

export interface Bars {
  /** Share a ratio may be worse than its bar. */
  slack: number;
  bars: Bar[];
}

export interface BarResult extends Bar {
  ratio: number;
  ok: boolean;
}

/** A time as operations the machine could have done in it; a rate as share of the machine's. */
function ratioOf(figure: Figure, { basis, better }: Bar, calibration: Calibration): number {
  if (basis === "none") return figure.median;
  const rate = calibration[basis];
  return better === "lower" ? (figure.median * rate) / 1000 : figure.median / rate;
}

const scenarioOf = (figure: string): string => figure.slice(0, figure.indexOf("."));

/**
 * Compares the figures of a run with their bars. Of a scenario that ran, every bar must have its
 * figure. @throws Error when none of the scenarios has a bar, for then nothing would be checked.
 */
export function checkBars(
  { slack, bars }: Bars,
  scenarios: readonly string[],
  figures: Record<string, Figure>,
  calibration: Calibration,
): BarResult[] {
  const wanted = bars.filter((bar) => scenarios.includes(scenarioOf(bar.figure)));
  if (wanted.length === 0) throw new Error(`bars.json has no bar for ${scenarios}`);
  return wanted.map((bar) => {
    const figure = figures[bar.figure];
    if (!figure) return { ...bar, ratio: Number.NaN, ok: false };
    const ratio = ratioOf(figure, bar, calibration);
    const ok =
      bar.better === "lower" ? ratio <= bar.bar * (1 + slack) : ratio >= bar.bar * (1 - slack);
    return { ...bar, ratio, ok };
  });
}
