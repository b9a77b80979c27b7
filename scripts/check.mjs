// Everything that is checked without running the product: format, lint, types, import rules,
// unused code, sizes and names, and that the migrations give the schema.
import { ensureDependencies, requireNode } from "./lib/dependencies.mjs";
import { generatePrisma } from "./lib/generate-prisma.mjs";
import { say } from "./lib/phase.mjs";
import { reportAndFail } from "./lib/problem.mjs";
import { runCommand } from "./lib/run-command.mjs";

const tool = (file, ...args) => runCommand(process.execPath, [`node_modules/${file}`, ...args]);

/** dependency-cruiser passes when it reads nothing, so the number it read is part of the answer. */
async function checkImports() {
  const result = await tool(
    "dependency-cruiser/bin/dependency-cruise.mjs",
    ...["--config", ".dependency-cruiser.mjs", "src"],
  );
  const cruised = Number(/\((\d+) modules/.exec(result.output)?.[1] ?? 0);
  if (result.code !== 0 || cruised > 0) return result;
  return { code: 1, output: `${result.output}\nNo module was read: the import rules did not run.` };
}

async function checkTree() {
  const { treeFindings } = await import("./lib/tree-rules.mjs");
  const findings = await treeFindings();
  return { code: findings.length > 0 ? 1 : 0, output: findings.join("\n") };
}

async function checkDrift() {
  const { checkSchemaDrift } = await import("./lib/schema-drift.mjs");
  return checkSchemaDrift();
}

/** In the order they start; two run at a time. */
const CHECKS = [
  ["types", () => tool("typescript/bin/tsc", "--noEmit", "--pretty", "false")],
  ["format and lint", () => tool("@biomejs/biome/bin/biome", "check", "--max-diagnostics=100")],
  ["import rules", checkImports],
  ["migrations give the schema", checkDrift],
  ["unused code", () => tool("knip/bin/knip.js", "--no-progress")],
  ["names and sizes", checkTree],
];

async function runCheck([name, check]) {
  const from = performance.now();
  const result = await check().catch((error) => ({ code: 1, output: error.stack }));
  return { name, seconds: (performance.now() - from) / 1000, ...result };
}

/** Runs all checks, `width` at a time; results come back in the order of the list. */
async function runAll(width) {
  const results = [];
  const queue = [...CHECKS.entries()];
  const lane = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [index, entry] = next;
      results[index] = await runCheck(entry);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  return results;
}

function report(results) {
  const failed = results.filter(({ code }) => code !== 0);
  for (const { name, output } of failed) say(`\n── ${name}\n${output.trim()}`);
  say();
  for (const { name, code, seconds } of results) {
    say(`${code === 0 ? "✓" : "✗"} ${name.padEnd(28)} ${seconds.toFixed(1).padStart(6)} s`);
  }
  say(`${results.length - failed.length} checks passed, ${failed.length} failed`);
  if (failed.length > 0) process.exitCode = 1;
}

async function main() {
  requireNode();
  await ensureDependencies();
  await generatePrisma();
  report(await runAll(2));
}

main().catch(reportAndFail);
