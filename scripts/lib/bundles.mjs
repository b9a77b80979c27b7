/** ESM bundles that contain CommonJS packages need `require`. */
const REQUIRE =
  'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);';

/** esbuild ships its own binary, so it is never bundled. */
const NATIVE = ["esbuild"];

/** Services run inside the clone: their packages stay in node_modules. */
const service = { format: "esm", packages: "external" };
/** Programs that also run where there is no node_modules. */
const standalone = { format: "esm", external: NATIVE, banner: { js: REQUIRE } };
/** What is mounted into a sandbox: one file, nothing beside Node's own modules. */
const guest = { format: "cjs" };

/** Every program of the product: its source, where it goes, and how esbuild bundles it. */
export const BUNDLES = [
  { entry: "src/web/main.ts", outfile: "dist/web.mjs", options: service },
  { entry: "src/worker/main.ts", outfile: "dist/worker.mjs", options: service },
  { entry: "src/worker/seed.ts", outfile: "dist/seed.mjs", options: service },
  { entry: "src/gateway/main.ts", outfile: "dist/gateway.mjs", options: standalone },
  {
    entry: "src/cli/main.ts",
    outfile: "dist/cli.mjs",
    options: { ...standalone, banner: { js: `#!/usr/bin/env node\n${REQUIRE}` } },
    executable: true,
  },
  { entry: "src/project/build-main.ts", outfile: "dist/build.mjs", options: standalone },
  { entry: "src/runtime/main.ts", outfile: "dist/runtime/main.cjs", options: guest },
  { entry: "src/runtime/shell/main.ts", outfile: "dist/runtime/shell.cjs", options: guest },
  { entry: "src/runtime/net-shim.ts", outfile: "dist/runtime/net-shim.cjs", options: guest },
];
