// The whole test suite with nothing prepared: installs, builds, brings up its own Postgres, runs
// every layer, removes what it started. Arguments go to vitest and narrow the run; `--faults-full`
// repeats the faults as often as their full form asks.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "./build.mjs";
import { ensureDependencies, requireNode } from "./lib/dependencies.mjs";
import { elapsed, phase, say } from "./lib/phase.mjs";
import { reportAndFail } from "./lib/problem.mjs";
import { runVitest } from "./lib/run-vitest.mjs";
import { createShutdown } from "./lib/shutdown.mjs";
import {
  bubblewrapFault,
  ensureProgram,
  findCommand,
  installCommand,
  PROGRAMS,
} from "./lib/system-package.mjs";
import { startTestDatabase } from "./lib/test-database.mjs";
import { tally } from "./lib/test-tally.mjs";

const FULL = "--faults-full";
const inCi = ["1", "true"].includes(process.env.CI ?? "");

/** Says which suites cannot run here and what would let them; returns how many there are. */
function announceMissing() {
  const missing = Object.keys(PROGRAMS).filter((name) => !findCommand(PROGRAMS[name].commands));
  for (const name of missing) {
    say(`SKIPPED: what needs ${name}, which is not installed: ${installCommand(name)}`);
  }
  const bubblewrap = findCommand(PROGRAMS.bubblewrap.commands);
  const fault = bubblewrap && bubblewrapFault(bubblewrap);
  if (fault) say(`SKIPPED: what needs a sandbox; bubblewrap cannot make one here: ${fault}`);
  return missing.length + (fault ? 1 : 0);
}

async function prepare(shutdown) {
  await phase("Dependencies", async () =>
    (await ensureDependencies()) ? "installed" : "nothing changed",
  );
  await build();
  await phase("System programs", async () => {
    for (const name of Object.keys(PROGRAMS)) await ensureProgram(name);
  });
  const missing = announceMissing();
  let database;
  await phase("Postgres for the tests", async () => {
    database = await startTestDatabase();
    shutdown.add(undefined, database.stop);
  });
  // The README's tour exports these two for the CLI; what the tests start has its own.
  const { BERTH_URL: _url, BERTH_TOKEN: _token, ...inherited } = process.env;
  return { missing, env: { ...inherited, ...database.env } };
}

async function runTests(env, shutdown) {
  const dir = mkdtempSync(join(tmpdir(), "berth-test-"));
  shutdown.add(undefined, () => rmSync(dir, { recursive: true, force: true }));
  const full = process.argv.includes(FULL);
  const args = process.argv.slice(2).filter((arg) => arg !== FULL);
  const vitest = runVitest({ args, env: full ? { ...env, BERTH_FAULTS: "full" } : env, dir });
  shutdown.add(undefined, vitest.stop);
  const { code, report } = await vitest.done;
  const counts = report
    ? tally(report)
    : { passed: 0, failed: 1, skipped: 0, undeclared: [], broken: ["vitest wrote no report"] };
  return { code, ...counts };
}

/** Says what is wrong beside failed tests; returns how many such things there are. */
function countFaults({ code, passed, failed, undeclared, broken, missing }) {
  for (const name of broken) say(`FAILED to load: ${name}`);
  const reasons = [
    [code !== 0 && failed === 0, `vitest ended with exit code ${code} (an error outside tests)`],
    [passed + failed === 0, "no test ran"],
    [inCi && missing > 0, "CI runs every suite: a missing program is a failure"],
    [inCi && undeclared.length > 0, `CI skips nothing: ${undeclared.slice(0, 10).join("; ")}`],
  ].filter(([applies]) => applies);
  for (const [, text] of reasons) say(`FAILED: ${text}`);
  return reasons.length;
}

async function main() {
  requireNode();
  const shutdown = createShutdown({ code: 130 });
  try {
    const { missing, env } = await prepare(shutdown);
    const outcome = await runTests(env, shutdown);
    await shutdown.run();
    say(`\nTook ${elapsed()}`);
    const failed = outcome.failed + countFaults({ ...outcome, missing });
    if (failed > 0) process.exitCode = 1;
    const skipped = outcome.skipped > 0 ? `, ${outcome.skipped} skipped` : "";
    say(`${outcome.passed} passed, ${failed} failed${skipped}`);
  } catch (error) {
    if (shutdown.begun()) return;
    reportAndFail(error);
    await shutdown.run();
    say("0 passed, 1 failed");
  }
}

main().catch(reportAndFail);
