// The program that runs inside the build jail, where only a read-only toolchain and one writable
// folder are visible. It prints NDJSON lines (`BuildLine`) on stdout and exits 0 when there is a
// bundle, 1 when the project is at fault, 2 when it was called wrongly.
//
//   node build.mjs --source DIR --out DIR --work DIR --sdk DIR --modules DIR [--npm FILE]

import { parseArgs } from "node:util";
import type { BuildLine } from "./build-line";
import { buildProject, bundleBytes } from "./build-project";
import { npmBesideNode } from "./install-dependencies";

const text = { type: "string" } as const;
const options = { source: text, out: text, work: text, sdk: text, modules: text, npm: text };

const print = (line: BuildLine): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};

const main = async (): Promise<number> => {
  const { source, out, work, sdk, modules, npm = npmBesideNode() } = parseArgs({ options }).values;
  if (!source || !out || !work || !sdk || !modules) {
    process.stderr.write("--source, --out, --work, --sdk and --modules are required\n");
    return 2;
  }
  const toolchain = { sdkDir: sdk, modulesDir: modules };
  const ok = await buildProject({ source, out, work, toolchain, npm, print });
  print({ type: "done", ok, bundleBytes: ok ? await bundleBytes(out) : 0 });
  return ok ? 0 : 1;
};

process.exitCode = await main();
