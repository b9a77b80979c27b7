import { join } from "node:path";
import type { Gateway } from "../egress";
import type { BuildJob, BuildResult } from "./build-job";
import { bwrapArguments, EGRESS_SOCKET, INSIDE, type Mount } from "./bwrap-arguments";
import { probeBwrap } from "./bwrap-probe";
import type {
  DriverCapabilities,
  Sandbox,
  SandboxDriver,
  SandboxHost,
  SandboxSpec,
} from "./driver";
import { type EgressFolder, openEgressFolder } from "./egress-folder";
import { type GuestFiles, prepareGuestFiles, removeGuestFiles } from "./guest-files";
import { guestInit } from "./guest-init";
import { launchBwrap } from "./launch";
import { memoryFlags } from "./memory-flags";
import { NamespaceProcess } from "./namespace-process";
import { ownFolder } from "./own-folder";
import { runBuildJail } from "./run-build-jail";
import { SandboxProcess } from "./sandbox-process";
import { UidPool } from "./uid-pool";

export interface DriverOptions {
  gateway: Gateway;
  /** Folder with the bundled `main.cjs` and `net-shim.cjs`. */
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

class BwrapDriver implements SandboxDriver {
  readonly name = "bwrap";
  private readonly uids = new UidPool();
  private files: Promise<GuestFiles> | undefined;

  constructor(private readonly options: DriverOptions) {}

  probe(): Promise<DriverCapabilities> {
    return probeBwrap((spec, host) => this.start(spec, host));
  }

  async start(spec: SandboxSpec, host: SandboxHost): Promise<Sandbox> {
    const files = await this.guestFiles();
    const uid = this.acquireUid(spec.owner);
    let egress: EgressFolder | undefined;
    const release = once(async () => {
      if (uid !== undefined) this.uids.release(uid);
      await egress?.close();
    });
    try {
      await ownFolder(spec.stateDir, uid);
      const { gateway } = this.options;
      egress = await openEgressFolder(gateway, files.runDir, spec.id, uid, {
        domains: spec.egressDomains,
      });
      const child = launchAgent(files, spec, uid, egress, this.options.readOnly ?? []);
      const namespace = new NamespaceProcess(child);
      const control = {
        child,
        uid,
        observe: () => namespace.observe(),
        killAll: () => namespace.kill(),
        cleanUp: () => namespace.gone().then(release),
      };
      const sandbox = new SandboxProcess(control, spec, host);
      await sandbox.load(guestInit(spec, PATHS));
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

function launchAgent(
  files: GuestFiles,
  spec: SandboxSpec,
  uid: number | undefined,
  egress: EgressFolder,
  readOnly: readonly Mount[],
) {
  const mounts = [
    ...readOnly,
    { source: spec.bundleDir, target: INSIDE.app },
    { source: spec.workspaceRoot, target: INSIDE.workspace, writable: true },
    { source: spec.stateDir, target: INSIDE.state, writable: true },
    { source: egress.path, target: INSIDE.egress },
  ];
  return launchBwrap({
    runDir: files.runDir,
    id: spec.id,
    bwrapArgs: bwrapArguments(files, mounts, { tmpMb: spec.limits.tmpMb, cwd: INSIDE.app }),
    command: [INSIDE.node, ...memoryFlags(spec.limits.memoryMb), INSIDE.main],
    uid,
    limits: spec.limits,
    socket: true,
  });
}

/** Sandboxes in Linux namespaces, made by bubblewrap. */
export const createBwrapDriver = (options: DriverOptions): SandboxDriver =>
  new BwrapDriver(options);
