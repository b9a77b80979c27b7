import { spawn } from "node:child_process";
import { dirname } from "node:path";
import type { BuildJob, BuildResult } from "./build-job";
import type { DriverOptions } from "./bwrap-driver";
import type {
  DriverCapabilities,
  Sandbox,
  SandboxDriver,
  SandboxHost,
  SandboxSpec,
} from "./driver";
import { openEgressFolder } from "./egress-folder";
import { type GuestFiles, prepareGuestFiles, removeGuestFiles } from "./guest-files";
import { guestInit } from "./guest-init";
import { memoryFlags } from "./memory-flags";
import { MINIMAL_ENV } from "./minimal-env";
import { ownFolder } from "./own-folder";
import { killGroup } from "./process-group";
import { runUnsafeBuild } from "./run-unsafe-build";
import { SandboxProcess } from "./sandbox-process";

/**
 * Runs agent processes as plain children of this one, for a single trusted user on a machine
 * without namespaces. Same guest, same frames; nothing holds the code in.
 */
class UnsafeDriver implements SandboxDriver {
  readonly name = "unsafe-process";
  private files: Promise<GuestFiles> | undefined;

  constructor(private readonly options: DriverOptions) {}

  probe(): Promise<DriverCapabilities> {
    return Promise.resolve({
      strength: "none",
      egress: "advisory",
      memory: "watchdog",
      cpu: "deadline-only",
      pids: "none",
      perTenantUid: false,
      reasons: ["the unsafe driver isolates nothing"],
    });
  }

  async start(spec: SandboxSpec, host: SandboxHost): Promise<Sandbox> {
    const files = await this.guestFiles();
    await ownFolder(spec.stateDir, undefined);
    const { gateway } = this.options;
    const egress = await openEgressFolder(gateway, files.runDir, spec.id, process.getuid?.(), {
      domains: spec.egressDomains,
    });
    const child = spawn(files.node, [...memoryFlags(spec.limits.memoryMb), files.main], {
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      env: MINIMAL_ENV,
      cwd: spec.bundleDir,
      detached: true,
    });
    const control = {
      child,
      uid: undefined,
      killAll: () => killGroup(child),
      cleanUp: () => egress.close(),
    };
    const sandbox = new SandboxProcess(control, spec, host);
    const paths = {
      app: spec.bundleDir,
      workspace: spec.workspaceRoot,
      state: spec.stateDir,
      netShim: files.netShim,
      egressSocket: egress.socket,
      path: `${dirname(process.execPath)}:/usr/bin:/bin`,
    };
    await sandbox.load(guestInit(spec, paths));
    return sandbox;
  }

  async runBuild(job: BuildJob): Promise<BuildResult> {
    const files = await this.guestFiles();
    return runUnsafeBuild(job, files, this.options.gateway);
  }

  async close(): Promise<void> {
    const files = await this.files?.catch(() => undefined);
    this.files = undefined;
    if (files) await removeGuestFiles(files);
  }

  private guestFiles(): Promise<GuestFiles> {
    this.files ??= prepareGuestFiles(this.options.runtimeDir);
    return this.files;
  }
}

/** The driver of `--unsafe-sandbox`. */
export const createUnsafeDriver = (options: DriverOptions): SandboxDriver =>
  new UnsafeDriver(options);
