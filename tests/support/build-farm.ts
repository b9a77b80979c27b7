import { chmod, cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { create } from "tar";
import { bundleOptions } from "../../scripts/lib/build-bundles.mjs";
import { BUNDLES } from "../../scripts/lib/bundles.mjs";
import { Builder, BundleCache, VersionResolver } from "../../src/server/deployments";
import { startGateway } from "../../src/server/egress";
import { systemClock } from "../../src/server/platform/clock";
import {
  createBwrapDriver,
  createSandboxes,
  createUnsafeDriver,
  type Sandboxes,
} from "../../src/server/sandbox";
import { canSandbox } from "./capabilities";

const PROGRAMS = [
  "src/gateway/main.ts",
  "src/runtime/main.ts",
  "src/runtime/shell/main.ts",
  "src/runtime/net-shim.ts",
  "src/project/build-main.ts",
];

/** The build's programs as a clone would have them after `npm run build`, in a folder of its own. */
async function buildPrograms(root: string): Promise<void> {
  for (const bundle of BUNDLES.filter(({ entry }) => PROGRAMS.includes(entry))) {
    await build(bundleOptions({ ...bundle, outfile: join(root, bundle.outfile) }));
  }
  for (const folder of ["sdk", "protocol"]) {
    await cp(resolve("src", folder), join(root, "dist", folder), { recursive: true });
  }
  await symlink(resolve("node_modules"), join(root, "node_modules"));
}

export interface BuildFarm {
  builder: Builder;
  sandboxes: Sandboxes;
  /** Folder whose `dist` holds the programs that build. */
  root: string;
  close(): Promise<void>;
}

/** What a worker has to build and run versions: bubblewrap where it works, else plain processes. */
export async function startBuildFarm(): Promise<BuildFarm> {
  const root = await mkdtemp(join(tmpdir(), "berth-farm-"));
  await chmod(root, 0o711);
  await mkdir(join(root, "dist"));
  await buildPrograms(root);
  const gateway = await startGateway({
    entry: join(root, "dist/gateway.mjs"),
    targets: [],
    onDenied: () => undefined,
  });
  const options = { gateway, runtimeDir: join(root, "dist/runtime") };
  const driver = canSandbox ? createBwrapDriver(options) : createUnsafeDriver(options);
  const bundles = new BundleCache(join(root, "bundles"));
  const resolver = new VersionResolver(join(root, "agents"), bundles);
  const sandboxes = createSandboxes({
    driver,
    clock: systemClock,
    resolve: resolver.resolve,
    revision: resolver.revision,
    onHostCall: () => Promise.reject(new Error("no host calls here")),
  });
  const invoke = sandboxes.invoke.bind(sandboxes);
  const runBuild = driver.runBuild.bind(driver);
  const builder = new Builder({ dir: root, root, bundles, resolver, invoke, runBuild });
  return {
    builder,
    sandboxes,
    root,
    async close() {
      await builder.close();
      await sandboxes.close();
      await driver.close();
      await gateway.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** Packs a folder as the command line does. */
export async function packFolder(folder: string): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  const packed = create({ cwd: folder, gzip: true, portable: true, noMtime: true }, ["."]);
  for await (const chunk of packed) chunks.push(chunk as Buffer);
  return new Uint8Array(Buffer.concat(chunks));
}
