import type { BuildLogEntry } from "../../protocol/build-log";
import type { Diagnostic, Manifest } from "../../protocol/manifest";
import { activateVersion } from "../agents";
import { publicUrl } from "../platform/env";
import { platform } from "../platform/platform";
import { type Tx, withSqlTransaction, withTransaction } from "../platform/transaction";
import { ctxForSystem } from "../tenancy";
import { appendLog, type BuildLease, endBuild } from "./build-lease";

/** Ends a build that gave no version that can run. @throws LeaseLost. */
export const failBuild = (lease: BuildLease, diagnostics: Diagnostic[]): Promise<void> =>
  withSqlTransaction(lease.orgId, async (tx) => {
    await appendLog(tx, lease, [{ type: "failed", diagnostics }]);
    await endBuild(tx, lease, { status: "failed", diagnostics });
  });

/** A version that was deployed later and is active already stays so. */
async function isOvertaken(tx: Tx, { agentId, version }: BuildLease): Promise<boolean> {
  const agent = await tx.db.agent.findFirst({
    where: { id: agentId },
    select: { activeVersion: true },
  });
  return (agent?.activeVersion ?? 0) > version;
}

interface Finished {
  bundleSha: string;
  toolchain: string;
  manifest: Manifest;
  diagnostics: Diagnostic[];
  activate: boolean;
  orgSlug: string;
  agentSlug: string;
}

/** Ends a build well and activates its version, in one transaction. @throws LeaseLost. */
export const finishBuild = (lease: BuildLease, end: Finished): Promise<void> =>
  withTransaction(lease.orgId, async (tx) => {
    const { bundleSha, toolchain, manifest, diagnostics, orgSlug, agentSlug } = end;
    const { agentId, version } = lease;
    const activate = end.activate && !(await isOvertaken(tx, lease));
    const url = `${publicUrl(platform().env)}/${orgSlug}/${agentSlug}`;
    const entries: BuildLogEntry[] = [
      ...(activate ? [{ type: "phase", phase: "activate" } as const] : []),
      { type: "deployed", version, url },
    ];
    await appendLog(tx, lease, entries);
    await endBuild(tx, lease, { status: "ready", diagnostics, manifest, bundleSha, toolchain });
    if (!activate) return;
    await activateVersion({ ...ctxForSystem(lease.orgId, "build"), tx }, { agentId, version });
  });
