// The bench: starts the built product, a scripted model and Postgres, runs the scenarios with a
// calibration of the machine before and after them, and reports medians with their range.
import { resolve } from "node:path";
import bars from "./bars.json" with { type: "json" };
import type { Bench, Scenario } from "./bench";
import { type Calibration, calibrate } from "./calibrate";
import { type Bars, checkBars } from "./check-bars";
import { type BenchOptions, readBenchOptions, type ScenarioName } from "./options";
import { load, machineText, type Report, reportText, writeReport } from "./report";
import { echoTurn } from "./s1-echo-turn";
import { concurrentTurns } from "./s2-concurrent-turns";
import { replay } from "./s4-replay";
import { directCall } from "./s8-direct-call";
import { deploy } from "./s9-deploy";
import { growth } from "./s10-growth";
import { noisyNeighbour } from "./s12-noisy-neighbour";
import { killedWorker } from "./s13-killed-worker";
import { withBench } from "./start-bench";
import { type Figure, type Run, summarize } from "./statistics";

const SCENARIO: Record<ScenarioName, Scenario> = {
  S1: echoTurn,
  S2: concurrentTurns,
  S4: replay,
  S8: directCall,
  S9: deploy,
  S10: growth,
  S12: noisyNeighbour,
  S13: killedWorker,
};

const say = (text: string) => process.stderr.write(`${text}\n`);

async function runsOf(bench: Bench, name: ScenarioName, count: number): Promise<Run[]> {
  const runs: Run[] = [];
  for (let run = 1; run <= count; run += 1) {
    say(`▸ ${name} run ${run}/${count}`);
    runs.push(await SCENARIO[name](bench, run));
  }
  return runs;
}

interface Measured {
  figures: Record<string, Figure>;
  failures: Record<string, string>;
}

/** A scenario that fails is a finding of its own and does not keep the others from running. */
async function measure(bench: Bench, { only, runs }: BenchOptions): Promise<Measured> {
  const measured: Measured = { figures: {}, failures: {} };
  for (const name of only) {
    try {
      const summary = summarize(await runsOf(bench, name, runs));
      for (const [figure, value] of Object.entries(summary))
        measured.figures[`${name}.${figure}`] = value;
    } catch (error) {
      measured.failures[name] = error instanceof Error ? error.message : String(error);
      say(`  ${name} failed: ${measured.failures[name]}`);
    }
  }
  return measured;
}

const mean = (a: Calibration, b: Calibration): Calibration => ({
  hello: (a.hello + b.hello) / 2,
  commit: (a.commit + b.commit) / 2,
  hash: (a.hash + b.hash) / 2,
});

function bench(options: BenchOptions): Promise<Report> {
  const at = new Date().toISOString();
  const ms = options.quick ? 1_000 : 3_000;
  say("▸ starting the product");
  return withBench(options, async (opened) => {
    const loadBefore = load();
    const before = await calibrate(opened.databaseUrl, ms);
    const measured = await measure(opened, options);
    const calibration = mean(before, await calibrate(opened.databaseUrl, ms));
    return {
      at,
      machine: machineText(),
      quick: options.quick,
      redis: options.redis,
      runs: options.runs,
      loadBefore,
      loadAfter: load(),
      calibration,
      ...measured,
      bars: options.check
        ? checkBars(bars as Bars, options.only, measured.figures, calibration)
        : [],
    };
  });
}

const options = readBenchOptions(process.argv.slice(2));
const report = await bench(options);
const file = resolve(options.out ?? `.berth/bench/${report.at.replace(/[:.]/g, "-")}.json`);
await writeReport(file, report);
console.log(reportText(report));
say(`\nwritten to ${file}`);
const failed = Object.keys(report.failures).length > 0 || report.bars.some(({ ok }) => !ok);
process.exitCode = failed ? 1 : 0;
