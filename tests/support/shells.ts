import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { ShellCall, ShellOutcome } from "../../src/protocol/shell-rpc";
import {
  createShells,
  type SandboxLimits,
  type ShellPlace,
  type Shells,
  WorkspaceFolders,
} from "../../src/server/sandbox";
import type { SandboxHarness } from "./sandbox";

export interface ShellHarnessOptions {
  domains?: string[];
  limits?: Partial<SandboxLimits>;
}

let roots = 0;

/** Shells over one agent's workspaces, with a clock that stands still until it is moved. */
export class ShellHarness {
  readonly folders = new WorkspaceFolders();
  readonly shells: Shells;
  now = Date.now();

  private constructor(
    harness: SandboxHarness,
    readonly root: string,
    private readonly options: ShellHarnessOptions,
  ) {
    this.shells = createShells({
      driver: harness.driver,
      folders: this.folders,
      clock: { now: () => new Date(this.now) },
      ...(options.limits ? { limits: options.limits } : {}),
    });
  }

  static async open(
    harness: SandboxHarness,
    options: ShellHarnessOptions = {},
  ): Promise<ShellHarness> {
    const root = join(harness.folder, `workspaces-${++roots}`);
    await mkdir(root, { mode: 0o711 });
    return new ShellHarness(harness, root, options);
  }

  place(session = "ses_a", more: Partial<ShellPlace> = {}): ShellPlace {
    return {
      ref: { orgId: "org_a", agentId: "agt_a", version: 1 },
      session,
      folder: { root: this.root, mounted: "agent" },
      egressDomains: this.options.domains ?? [],
      ...more,
    };
  }

  call(call: ShellCall, session?: string, timeoutMs = 20_000): Promise<ShellOutcome> {
    return this.shells.call(this.place(session), call, { timeoutMs });
  }

  /** What a call answers that must be of this kind and done. */
  async done<Kind extends ShellCall["kind"]>(
    call: Extract<ShellCall, { kind: Kind }>,
    session?: string,
  ): Promise<Extract<ShellOutcome, { kind: Kind }>> {
    const outcome = await this.call(call, session);
    expect(outcome).toMatchObject({ ok: true, kind: call.kind });
    return outcome as Extract<ShellOutcome, { kind: Kind }>;
  }

  /** Why a call is refused. */
  async refusal(call: ShellCall): Promise<string> {
    const outcome = await this.call(call);
    expect(outcome).toMatchObject({ ok: false });
    return (outcome as { message: string }).message;
  }

  /** What a command prints. */
  async run(command: string, session?: string, egress?: boolean): Promise<string> {
    const call = { kind: "shell" as const, command, ...(egress === undefined ? {} : { egress }) };
    const { output } = await this.done<"shell">(call, session);
    return output.head + output.tail;
  }
}
