import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { BUNDLES } from "./bundles.mjs";
import { ROOT } from "./root.mjs";
import { whenChanged } from "./stamp.mjs";

/** esbuild options of one bundle; paths are relative to the clone. */
export function bundleOptions({ entry, outfile, options }) {
  return {
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    sourcemap: "linked",
    legalComments: "none",
    logLevel: "error",
    ...options,
  };
}

/** Entries that the source tree does not have (yet). */
export const missingEntries = () =>
  BUNDLES.map(({ entry }) => entry).filter((entry) => !existsSync(join(ROOT, entry)));

/** Bundles every program whose source is there. Returns whether anything was built. */
export function buildBundles() {
  const present = BUNDLES.filter(({ entry }) => existsSync(join(ROOT, entry)));
  const outputs = present.map(({ outfile }) => outfile);
  const inputs = ["src", "package-lock.json", "scripts/lib/bundles.mjs", "tsconfig.json"];
  return whenChanged("bundles", { inputs, outputs }, async () => {
    const { build } = await import("esbuild");
    for (const bundle of present) {
      await build(bundleOptions(bundle));
      if (bundle.executable) chmodSync(join(ROOT, bundle.outfile), 0o755);
    }
  });
}
