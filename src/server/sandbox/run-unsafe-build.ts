import { spawn } from "node:child_process";
import { dirname } from "node:path";
import type { Gateway } from "../egress";
import type { BuildJob, BuildResult } from "./build-job";
import { followBuild } from "./build-process";
import { openEgressFolder } from "./egress-folder";
import { type GuestFiles, trustEnv } from "./guest-files";
import { memoryFlags } from "./memory-flags";
import { ownFolder } from "./own-folder";
import { killGroup } from "./process-group";

const BUILD_DIR = "/build";

/** A path of the jail as the host's path. */
function hostPath(text: string, job: BuildJob): string {
  const mounts = [...job.readOnly, { source: job.buildDir, target: BUILD_DIR }];
  const mount = mounts.find(({ target }) => text === target || text.startsWith(`${target}/`));
  return mount ? mount.source + text.slice(mount.target.length) : text;
}

/** The build as a plain child process, its jail paths replaced by the host's. */
export async function runUnsafeBuild(
  job: BuildJob,
  files: GuestFiles,
  gateway: Gateway,
): Promise<BuildResult> {
  await ownFolder(job.buildDir, undefined);
  const uid = process.getuid?.();
  const egress = await openEgressFolder(gateway, files.runDir, job.id, uid, {
    domains: job.egressDomains,
    byOperator: true,
  });
  const env = Object.entries(job.env).map(([name, value]) => [name, hostPath(value, job)]);
  try {
    const args = [...memoryFlags(job.memoryMb), ...job.args.map((arg) => hostPath(arg, job))];
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "pipe", "pipe"],
      cwd: job.buildDir,
      detached: true,
      env: {
        HOME: job.buildDir,
        PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
        NODE_OPTIONS: `--require ${files.netShim}`,
        BERTH_EGRESS_SOCKET: egress.socket,
        BERTH_EGRESS_LOOPBACK: "1",
        ...trustEnv(),
        ...Object.fromEntries(env),
      } as Record<string, string> as NodeJS.ProcessEnv,
    });
    return await followBuild(child, job, { killAll: () => killGroup(child) });
  } finally {
    await egress.close();
  }
}
