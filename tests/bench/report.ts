import { mkdir, writeFile } from "node:fs/promises";
import { arch, cpus, loadavg, platform, totalmem } from "node:os";
import { dirname } from "node:path";
import type { Calibration } from "./calibrate";
import type { BarResult } from "./check-bars";
import type { Figure } from "./statistics";

export interface Report {
  at: string;
  machine: string;
  quick: boolean;
  redis: boolean;
  runs: number;
  loadBefore: number[];
  loadAfter: number[];
  calibration: Calibration;
  /** `<scenario>.<figure>`. */
  figures: Record<string, Figure>;
  /** Scenarios that did not pass their delivery check, and why. */
  failures: Record<string, string>;
  bars: BarResult[];
}

export const machineText = (): string => {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${cpu?.model ?? arch()}, ${memory} GiB, ${platform()}, Node ${process.version}`;
};

export const load = (): number[] => loadavg().map((value) => Number(value.toFixed(2)));

const digits = (value: number): string => value.toFixed(value < 100 ? 1 : 0);

function figureLine(name: string, { median, min, max }: Figure): string {
  const range = min === max ? "" : `(${digits(min)} – ${digits(max)})`;
  return `${name.padEnd(28)} ${digits(median).padStart(10)}  ${range}`.trimEnd();
}

function barLine({ figure, ratio, bar, ok }: BarResult): string {
  return `${ok ? "ok  " : "FAIL"} ${figure.padEnd(28)} ${ratio.toPrecision(3)} (bar ${bar})`;
}

/** The report as people read it. */
export function reportText(report: Report): string {
  const { hello, commit, hash } = report.calibration;
  return [
    `${report.machine}, wakes and jobs in ${report.redis ? "Redis" : "Postgres"}`,
    `load ${report.loadBefore.join(" ")} before, ${report.loadAfter.join(" ")} after`,
    `calibration: hello ${digits(hello)}/s, commit ${digits(commit)}/s, hash ${digits(hash)}/s`,
    "",
    `${"figure".padEnd(28)} ${"median".padStart(10)}  (range of ${report.runs})`,
    ...Object.entries(report.figures).map(([name, figure]) => figureLine(name, figure)),
    ...Object.entries(report.failures).map(([name, why]) => `${name} FAILED: ${why}`),
    ...report.bars.map(barLine),
  ].join("\n");
}

/** Writes the report as JSON. */
export async function writeReport(file: string, report: Report): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
}
