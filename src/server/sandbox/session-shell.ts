import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import type { ShellCall } from "../../protocol/shell-rpc";
import { ownerOf } from "./agent-ref";
import type { Sandbox, SandboxDriver, SandboxLog } from "./driver";
import type { SandboxLimits } from "./limits";
import type { ShellPlace } from "./shell-place";

/** Where a folder is, whatever it is called. */
async function identityOf(path: string): Promise<string> {
  const { dev, ino } = await stat(path);
  return `${dev}:${ino}`;
}

export interface ShellStart {
  driver: SandboxDriver;
  limits: SandboxLimits;
  place: ShellPlace;
  /** The workspace's folder. It may be renamed while the shell lives, but not replaced. */
  workspaceDir: string;
  egress: boolean;
  onLog(log: SandboxLog<ShellCall>): void;
}

/** One session's shell from the first call that needs it to its end. */
export class SessionShell {
  readonly id = `h${randomBytes(8).toString("hex")}`;
  readonly started: Promise<Sandbox<ShellCall>>;
  readonly place: ShellPlace;
  sandbox: Sandbox<ShellCall> | undefined;
  /** Calls that use it, from before it is ready. */
  users = 0;
  lastUsedAt = 0;
  private folder: string | undefined;

  constructor(start: ShellStart) {
    this.place = start.place;
    this.started = this.start(start);
    this.started.catch(() => undefined);
  }

  /** Whether calls with this folder and these domains can go to this process. */
  async serves(workspaceDir: string, { egressDomains }: ShellPlace): Promise<boolean> {
    const sandbox = await this.started.catch(() => undefined);
    if (sandbox?.state !== "ready") return false;
    if (egressDomains.join() !== this.place.egressDomains.join()) return false;
    return this.folder === (await identityOf(workspaceDir));
  }

  /** Resolves once no process of it is left, whatever state it was in. */
  async kill(reason: string): Promise<void> {
    const sandbox = await this.started.catch(() => undefined);
    await sandbox?.kill(reason);
  }

  private async start(start: ShellStart): Promise<Sandbox<ShellCall>> {
    const { driver, limits, place, workspaceDir, egress, onLog } = start;
    this.folder = await identityOf(workspaceDir);
    this.sandbox = await driver.startShell(
      {
        ...{ id: this.id, owner: ownerOf(place.ref), workspaceDir, limits },
        ...(egress ? { egressDomains: place.egressDomains } : {}),
      },
      onLog,
    );
    return this.sandbox;
  }
}
