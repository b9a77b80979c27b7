// Measures the built product:
// `npm run bench [-- --only S1,S2 --quick --redis --check --out FILE --runs N]`.
// Installs and builds what is missing, then runs tests/bench/main.ts.
import { spawn } from "node:child_process";
import { build } from "./build.mjs";
import { ensureDependencies, requireNode } from "./lib/dependencies.mjs";
import { reportAndFail } from "./lib/problem.mjs";
import { ROOT } from "./lib/root.mjs";
import { ensureProgram } from "./lib/system-package.mjs";

async function main() {
  requireNode();
  await ensureDependencies();
  await build();
  if (process.argv.includes("--redis")) await ensureProgram("redis");
  const args = ["--import", "tsx", "tests/bench/main.ts", ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: "inherit" });
  // Ctrl-C reaches the child by itself: it must have time to stop what it started.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  process.exitCode = await new Promise((resolve) => {
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

main().catch(reportAndFail);
