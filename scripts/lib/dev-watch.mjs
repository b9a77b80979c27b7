import { createHash } from "node:crypto";
import { existsSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { buildBundles } from "./build-bundles.mjs";
import { buildSdk } from "./build-sdk.mjs";
import { say } from "./phase.mjs";
import { ROOT } from "./root.mjs";

/** Which bundles a service must be started again for. */
const USES = {
  web: ["dist/web.mjs"],
  worker: [
    "dist/worker.mjs",
    "dist/gateway.mjs",
    "dist/runtime/main.cjs",
    "dist/runtime/shell.cjs",
    "dist/build.mjs",
  ],
};
const SETTLE_MS = 100;

function digest(files) {
  const hash = createHash("sha256");
  for (const file of files.map((name) => join(ROOT, name)).filter(existsSync)) {
    hash.update(readFileSync(file));
  }
  return hash.digest("hex");
}

const digests = () =>
  Object.fromEntries(Object.entries(USES).map(([name, files]) => [name, digest(files)]));

/**
 * Rebuilds when something below src/ changes and restarts the services whose programs differ.
 * `services` maps "web" and "worker" to what can be restarted. Returns what stops the watching.
 */
export function watchSources(services) {
  let known = digests();
  let timer;
  let queue = Promise.resolve();

  const rebuild = async () => {
    await buildSdk();
    await buildBundles();
    const now = digests();
    const changed = Object.keys(USES).filter((name) => now[name] !== known[name]);
    known = now;
    for (const name of changed) {
      say(`▸ ${name} changed, starting it again`);
      await services[name].restart();
    }
  };
  const watcher = watch(join(ROOT, "src"), { recursive: true }, (_event, file) => {
    if (!file || file.startsWith("generated")) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      queue = queue.then(rebuild).catch((error) => say(`! not rebuilt: ${error.message}`));
    }, SETTLE_MS);
  });
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}
