import { parseArgs } from "node:util";

export const SCENARIOS = ["S1", "S2", "S4", "S8", "S9", "S10", "S12", "S13"] as const;
export type ScenarioName = (typeof SCENARIOS)[number];

export interface BenchOptions {
  only: readonly ScenarioName[];
  /** Fewer repetitions and smaller loads, for CI. */
  quick: boolean;
  /** A redis-server of its own carries wakes and jobs. */
  redis: boolean;
  /** Compare with bars.json and fail when a figure is beyond its bar. */
  check: boolean;
  out?: string;
  runs: number;
}

const isScenario = (name: string): name is ScenarioName =>
  (SCENARIOS as readonly string[]).includes(name);

function scenariosOf(text: string | undefined): readonly ScenarioName[] {
  if (text === undefined) return SCENARIOS;
  const names = text.split(",").map((name) => name.trim().toUpperCase());
  const unknown = names.filter((name) => !isScenario(name));
  if (unknown.length > 0) throw new Error(`No scenario ${unknown}; there are ${SCENARIOS}.`);
  return names.filter(isScenario);
}

/** `--only S1,S2 --quick --redis --check --out FILE --runs N`. */
export function readBenchOptions(argv: string[]): BenchOptions {
  const { values } = parseArgs({
    args: argv,
    options: {
      only: { type: "string" },
      quick: { type: "boolean", default: false },
      redis: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      out: { type: "string" },
      runs: { type: "string" },
    },
  });
  const { quick, redis, check, out } = values;
  const runs = Number(values.runs ?? (quick ? 1 : 5));
  if (!Number.isInteger(runs) || runs < 1) throw new Error(`--runs ${values.runs} is no number.`);
  return { only: scenariosOf(values.only), quick, redis, check, runs, ...(out ? { out } : {}) };
}
