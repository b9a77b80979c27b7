// Builds everything into dist/ and .next/, leaving out what has not changed since the last time.
// `--partial` accepts a tree that lacks some entries and says which.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildBundles, missingEntries } from "./lib/build-bundles.mjs";
import { buildDashboard } from "./lib/build-dashboard.mjs";
import { buildSdk } from "./lib/build-sdk.mjs";
import { ensureDependencies, requireNode } from "./lib/dependencies.mjs";
import { generatePrisma } from "./lib/generate-prisma.mjs";
import { phase, say } from "./lib/phase.mjs";
import { Problem, reportAndFail } from "./lib/problem.mjs";
import { ROOT } from "./lib/root.mjs";

const step = (name, build) =>
  phase(name, async () => ((await build()) ? "built" : "nothing changed"));

function missingSources() {
  const folders = ["src/sdk/index.ts", "src/app"].filter((path) => !existsSync(join(ROOT, path)));
  return [...missingEntries(), ...folders];
}

/** Builds what changed; with `dashboard: false` without `next build` (the dev server compiles). */
export async function build({ partial = false, dashboard = true } = {}) {
  const missing = missingSources();
  if (missing.length > 0) {
    const list = `The source tree lacks ${missing.join(", ")}.`;
    if (!partial)
      throw new Problem(list, "Restore them, or build the rest: npm run build -- --partial");
    say(list);
  }
  await step("Database client", generatePrisma);
  await step("Programs", buildBundles);
  if (!missing.includes("src/sdk/index.ts")) await step("Authoring package", buildSdk);
  if (dashboard && !missing.includes("src/app")) await step("Dashboard", buildDashboard);
}

async function main() {
  requireNode();
  await ensureDependencies();
  await build({ partial: process.argv.includes("--partial") });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main().catch(reportAndFail);
