import { spawn } from "node:child_process";
import { dirname } from "node:path";
import type { ShellCall } from "../../protocol/shell-rpc";
import type { BuildJob, BuildResult } from "./build-job";
import type { DriverOptions } from "./bwrap-driver";
import type {
  DriverCapabilities,
  Sandbox,
  SandboxDriver,
  SandboxHost,
  SandboxSpec,
  ShellSpec,
} from "./driver";
import { openEgressFolder } from "./egress-folder";
import { type GuestFiles, prepareGuestFiles, removeGuestFiles } from "./guest-files";
import { guestInit } from "./guest-init";
import { LargeResults } from "./large-results";
import type { SandboxLimits } from "./limits";
import { memoryFlags } from "./memory-flags";
import { MINIMAL_ENV } from "./minimal-env";
import { ownFolder } from "./own-folder";
import { endGroup, killGroup } from "./process-group";
import { runUnsafeBuild } from "./run-unsafe-build";
import { SandboxProcess } from "./sandbox-process";
import { shellInit } from "./shell-init";

interface Guest {
  spec: { id: string; limits: SandboxLimits };
  egressDomains: string[] | undefined;
  program: "main" | "shell";
  cwd: string;
}

/**
 * Runs agent processes as plain children of this one, for a single trusted user on a machine
 * without namespaces. Same guest, same frames; nothing holds the code in.
 */
class UnsafeDriver implements SandboxDriver {
  readonly name = "unsafe-process";
  private readonly large = new LargeResults();
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
    await ownFolder(spec.stateDir, undefined);
    const { bundleDir: app, workspaceRoot: workspace, stateDir: state } = spec;
    const guest = { spec, egressDomains: spec.egressDomains, program: "main", cwd: app } as const;
    return this.launch(guest, host, (paths) =>
      guestInit(spec, { ...paths, app, workspace, state }),
    );
  }

  startShell(spec: ShellSpec, onLog: SandboxHost<ShellCall>["onLog"]): Promise<Sandbox<ShellCall>> {
    const { egressDomains, workspaceDir: workspace } = spec;
    const guest = { spec, egressDomains, program: "shell", cwd: workspace } as const;
    const onHostCall = () => Promise.reject(new Error("a shell makes no host calls"));
    return this.launch(guest, { onLog, onHostCall }, (paths) =>
      shellInit(spec, { ...paths, workspace }),
    );
  }

  private async launch<Init, Call>(
    { spec, egressDomains, program, cwd }: Guest,
    host: SandboxHost<Call>,
    init: (paths: { netShim: string; egressSocket: string; path: string }) => Init,
  ): Promise<Sandbox<Call>> {
    const files = await this.guestFiles();
    const egress =
      egressDomains &&
      (await openEgressFolder(this.options.gateway, files.runDir, spec.id, process.getuid?.(), {
        domains: egressDomains,
      }));
    const child = spawn(files.node, [...memoryFlags(spec.limits.memoryMb), files[program]], {
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      env: MINIMAL_ENV,
      cwd,
      detached: true,
    });
    const control = {
      child,
      uid: undefined,
      large: this.large,
      killAll: () => (program === "shell" ? endGroup(child) : killGroup(child)),
      cleanUp: async () => egress?.close(),
    };
    const sandbox = new SandboxProcess<Init, Call>(control, spec, host);
    await sandbox.load(
      init({
        netShim: files.netShim,
        egressSocket: egress?.socket ?? "",
        path: `${dirname(process.execPath)}:/usr/bin:/bin`,
      }),
    );
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
