import { join } from "node:path";
import type { Gateway } from "../egress";
import type { BuildJob, BuildResult } from "./build-job";
import { followBuild } from "./build-process";
import { bwrapArguments, EGRESS_SOCKET, INSIDE, type Mount } from "./bwrap-arguments";
import { openEgressFolder } from "./egress-folder";
import { type GuestFiles, trustEnv } from "./guest-files";
import { launchBwrap } from "./launch";
import { memoryFlags } from "./memory-flags";
import { NamespaceProcess } from "./namespace-process";
import { ownFolder } from "./own-folder";

export interface BuildJailContext {
  files: GuestFiles;
  uid: number | undefined;
  gateway: Gateway;
}

const LIMITS = { pids: 256, openFiles: 4096, fileMb: 512 };
const TMP_MB = 256;

function environment(job: BuildJob): Record<string, string> {
  return {
    HOME: "/tmp",
    TMPDIR: "/tmp",
    PATH: "/opt/node/bin",
    NODE_OPTIONS: `--require ${INSIDE.netShim}`,
    BERTH_EGRESS_SOCKET: join(INSIDE.egress, EGRESS_SOCKET),
    // A registry on the operator's own machine is reached through the gateway like any other.
    BERTH_EGRESS_LOOPBACK: "1",
    ...trustEnv(),
    ...job.env,
  };
}

const setEnv = (env: Record<string, string>): string[] =>
  Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]);

/** Runs a build in a jail of its own: no secrets, no network but the gateway, one writable folder. */
export async function runBuildJail(
  job: BuildJob,
  { files, uid, gateway }: BuildJailContext,
): Promise<BuildResult> {
  await ownFolder(job.buildDir, uid);
  const egress = await openEgressFolder(gateway, files.runDir, job.id, uid, {
    domains: job.egressDomains,
    byOperator: true,
  });
  try {
    const mounts: Mount[] = [
      ...job.readOnly,
      { source: job.buildDir, target: INSIDE.build, writable: true },
      { source: egress.path, target: INSIDE.egress },
    ];
    const options = { tmpMb: TMP_MB, cwd: INSIDE.build };
    const child = launchBwrap({
      runDir: files.runDir,
      id: job.id,
      bwrapArgs: [...bwrapArguments(files, mounts, options), ...setEnv(environment(job))],
      command: [INSIDE.node, ...memoryFlags(job.memoryMb), ...job.args],
      uid,
      limits: LIMITS,
      socket: false,
    });
    const namespace = new NamespaceProcess(child);
    const observe = () => namespace.observe();
    const result = await followBuild(child, job, { observe, killAll: () => namespace.kill() });
    await namespace.gone();
    return result;
  } finally {
    await egress.close();
  }
}
