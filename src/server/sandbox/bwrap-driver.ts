import { join } from "node:path";
import type { ShellCall } from "../../protocol/shell-rpc";
import type { Gateway } from "../egress";
import type { BuildJob, BuildResult } from "./build-job";
import { bwrapArguments, EGRESS_SOCKET, INSIDE, type Link, type Mount } from "./bwrap-arguments";
import { probeBwrap } from "./bwrap-probe";
import type {
  DriverCapabilities,
  Sandbox,
  SandboxDriver,
  SandboxHost,
  SandboxSpec,
  ShellSpec,
} from "./driver";
import { type EgressFolder, openEgressFolder } from "./egress-folder";
import { type GuestFiles, prepareGuestFiles, removeGuestFiles } from "./guest-files";
import { guestInit } from "./guest-init";
import { LargeResults } from "./large-results";
import { launchBwrap } from "./launch";
import type { SandboxLimits } from "./limits";
import { memoryFlags } from "./memory-flags";
import { NamespaceProcess } from "./namespace-process";
import { ownFolder } from "./own-folder";
import { runBuildJail } from "./run-build-jail";
import { SandboxProcess } from "./sandbox-process";
import { shellInit } from "./shell-init";
import { findShellToolbox, type ShellToolbox } from "./shell-toolbox";
import { UidPool } from "./uid-pool";

export interface DriverOptions {
  gateway: Gateway;
  /** Folder with the bundled guest programs. */
  runtimeDir: string;
  /** Host folders that agent processes also see, read-only: programs tenants may call. */
  readOnly?: readonly { source: string; target: string }[];
}

const PATHS = {
  app: INSIDE.app,
  workspace: INSIDE.workspace,
  state: INSIDE.state,
  netShim: INSIDE.netShim,
  egressSocket: join(INSIDE.egress, EGRESS_SOCKET),
  path: "/opt/node/bin",
};
const SHELL_PATH = "/usr/bin:/opt/node/bin";
const NO_HOST_CALLS = () => Promise.reject(new Error("a shell makes no host calls"));

/** What differs between the kinds of guest. */
interface Guest<Init> {
  spec: { id: string; owner: string; limits: SandboxLimits };
  /** Folder that the guest's user must own. */
  folder: string;
  egressDomains: string[] | undefined;
  program: string;
  cwd: string;
  mounts: Mount[];
  links?: Link[];
  libraries?: string[];
  init: Init;
}

class BwrapDriver implements SandboxDriver {
  readonly name = "bwrap";
  private readonly uids = new UidPool();
  private readonly large = new LargeResults();
  private files: Promise<GuestFiles> | undefined;
  private toolbox: Promise<ShellToolbox> | undefined;

  constructor(private readonly options: DriverOptions) {}

  probe(): Promise<DriverCapabilities> {
    return probeBwrap((spec, host) => this.start(spec, host));
  }

  start(spec: SandboxSpec, host: SandboxHost): Promise<Sandbox> {
    const mounts = [
      ...(this.options.readOnly ?? []),
      { source: spec.bundleDir, target: INSIDE.app },
      { source: spec.workspaceRoot, target: INSIDE.workspace, writable: true },
      { source: spec.stateDir, target: INSIDE.state, writable: true },
    ];
    const guest = {
      ...{ spec, mounts, folder: spec.stateDir, egressDomains: spec.egressDomains },
      ...{ program: INSIDE.main, cwd: INSIDE.app, init: guestInit(spec, PATHS) },
    };
    return this.launch(guest, host);
  }

  async startShell(
    spec: ShellSpec,
    onLog: SandboxHost<ShellCall>["onLog"],
  ): Promise<Sandbox<ShellCall>> {
    const { mounts, libraries } = await this.shellToolbox();
    const workspace = { source: spec.workspaceDir, target: INSIDE.workspace, writable: true };
    const guest = {
      ...{ spec, libraries, folder: spec.workspaceDir, egressDomains: spec.egressDomains },
      ...{ program: INSIDE.shell, cwd: INSIDE.workspace, mounts: [...mounts, workspace] },
      links: [{ target: "usr/bin", path: "/bin" }],
      init: shellInit(spec, { ...PATHS, path: SHELL_PATH }),
    };
    return this.launch(guest, { onLog, onHostCall: NO_HOST_CALLS });
  }

  private async launch<Init, Call>(
    guest: Guest<Init>,
    host: SandboxHost<Call>,
  ): Promise<Sandbox<Call>> {
    const { spec } = guest;
    const files = await this.guestFiles();
    const uid = this.acquireUid(spec.owner);
    let egress: EgressFolder | undefined;
    const release = once(async () => {
      if (uid !== undefined) this.uids.release(uid);
      await egress?.close();
    });
    try {
      await ownFolder(guest.folder, uid);
      if (guest.egressDomains) {
        egress = await openEgressFolder(this.options.gateway, files.runDir, spec.id, uid, {
          domains: guest.egressDomains,
        });
      }
      const child = spawnGuest(files, guest, uid, egress);
      const namespace = new NamespaceProcess(child);
      const control = {
        child,
        uid,
        large: this.large,
        observe: () => namespace.observe(),
        killAll: () => namespace.kill(),
        cleanUp: () => namespace.gone().then(release),
      };
      const sandbox = new SandboxProcess<Init, Call>(control, spec, host);
      await sandbox.load(guest.init);
      return sandbox;
    } catch (error) {
      await release();
      throw error;
    }
  }

  async runBuild(job: BuildJob): Promise<BuildResult> {
    const files = await this.guestFiles();
    const uid = this.acquireUid(`build:${job.id}`);
    try {
      return await runBuildJail(job, { files, uid, gateway: this.options.gateway });
    } finally {
      if (uid !== undefined) this.uids.release(uid);
    }
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

  private shellToolbox(): Promise<ShellToolbox> {
    this.toolbox ??= findShellToolbox();
    return this.toolbox;
  }

  private acquireUid(owner: string): number | undefined {
    return process.getuid?.() === 0 ? this.uids.acquire(owner) : undefined;
  }
}

/** Runs `release` at the first call only; later calls wait for the same end. */
function once(release: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= release();
    return done;
  };
}

function spawnGuest<Init>(
  files: GuestFiles,
  { spec, mounts, cwd, program, libraries, links }: Guest<Init>,
  uid: number | undefined,
  egress: EgressFolder | undefined,
) {
  const all = egress ? [...mounts, { source: egress.path, target: INSIDE.egress }] : mounts;
  const { limits } = spec;
  const options = { tmpMb: limits.tmpMb, cwd, libraries: libraries ?? [], links: links ?? [] };
  return launchBwrap({
    runDir: files.runDir,
    id: spec.id,
    bwrapArgs: bwrapArguments(files, all, options),
    command: [INSIDE.node, ...memoryFlags(limits.memoryMb), program],
    uid,
    limits,
    socket: true,
  });
}

/** Sandboxes in Linux namespaces, made by bubblewrap. */
export const createBwrapDriver = (options: DriverOptions): SandboxDriver =>
  new BwrapDriver(options);
