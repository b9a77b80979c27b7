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

/** Compares the figures of a run with their bars; figures that were not measured are left out. */
export function checkBars(
  { slack, bars }: Bars,
  figures: Record<string, Figure>,
  calibration: Calibration,
): BarResult[] {
  return bars.flatMap((bar) => {
    const figure = figures[bar.figure];
    if (!figure) return [];
    const ratio = ratioOf(figure, bar, calibration);
    const ok =
      bar.better === "lower" ? ratio <= bar.bar * (1 + slack) : ratio >= bar.bar * (1 - slack);
    return [{ ...bar, ratio, ok }];
  });
}
