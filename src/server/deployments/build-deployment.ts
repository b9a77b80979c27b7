import { join } from "node:path";
import type { BuildLogEntry } from "../../protocol/build-log";
import type { Diagnostic } from "../../protocol/manifest";
import { notFound } from "../platform/errors";
import { withSqlTransaction } from "../platform/transaction";
import { type BuildLease, MAX_ATTEMPTS } from "./build-lease";
import { BuildLog } from "./build-log";
import { buildSource } from "./build-source";
import { type DescribePorts, describeDraft } from "./describe-draft";
import { failBuild, finishBuild } from "./finish-build";
import type { RunBuild } from "./run-project-build";
import { toolchainStamp } from "./toolchain-stamp";

export interface BuildPorts extends DescribePorts {
  /** Folder of this process alone. */
  dir: string;
  runBuild: RunBuild;
  /** Root of the clone, whose `dist` holds the build's programs; the working directory if absent. */
  root?: string;
}

interface Order {
  source_sha: string;
  activate: boolean;
  agent_slug: string;
  org_slug: string;
}

const readOrder = ({ orgId, agentId, version }: BuildLease): Promise<Order> =>
  withSqlTransaction(orgId, async ({ sql }) => {
    const [row] = await sql<Order>(
      `SELECT d.source_sha, d.activate, a.slug AS agent_slug, o.slug AS org_slug
       FROM deployment d JOIN agent a ON a.org_id = d.org_id AND a.id = d.agent_id
       JOIN org o ON o.id = d.org_id
       WHERE d.org_id = $1 AND d.agent_id = $2 AND d.version = $3`,
      [orgId, agentId, version],
    );
    if (!row) throw notFound();
    return row;
  });

const hasErrors = (diagnostics: Diagnostic[]): boolean =>
  diagnostics.some(({ severity }) => severity === "error");

const ABANDONED: Diagnostic = {
  severity: "error",
  code: "build_abandoned",
  message: `The build ended ${MAX_ATTEMPTS} workers or was lost with them, so it is given up.`,
  file: ".",
  fix: "deploy again; if it happens again, the workers' logs say why",
};

/**
 * Builds a claimed version: extract, scan, install and bundle in the jail, describe in the agent's
 * sandbox, activate. Everything it says is in the version's log.
 * @throws LeaseLost when another worker took over; whatever else stops it is this machine's trouble.
 */
export async function buildDeployment(
  lease: BuildLease,
  ports: BuildPorts,
  stop: AbortController,
): Promise<void> {
  if (lease.attempt > MAX_ATTEMPTS) return failBuild(lease, [ABANDONED]);
  const order = await readOrder(lease);
  const log = new BuildLog(lease, (error) => stop.abort(error));
  const write = (entry: BuildLogEntry) => log.write(entry);
  const { runBuild, root = process.cwd() } = ports;
  const { signal } = stop;
  const toolchain = await toolchainStamp(root);
  const context = { dir: join(ports.dir, "builds"), runBuild, root, toolchain, write, signal };
  const built = await buildSource(lease, order.source_sha, context);
  if (built.bundleSha === undefined) {
    await log.settle();
    return failBuild(lease, built.diagnostics);
  }
  write({ type: "phase", phase: "describe" });
  const draft = { bundleSha: built.bundleSha, slug: order.agent_slug };
  const described = await describeDraft(lease, draft, ports);
  for (const diagnostic of described.diagnostics) write({ type: "diagnostic", diagnostic });
  await log.settle();
  const diagnostics = [...built.diagnostics, ...described.diagnostics];
  if (!described.manifest || hasErrors(described.diagnostics)) return failBuild(lease, diagnostics);
  await finishBuild(lease, {
    bundleSha: built.bundleSha,
    toolchain,
    manifest: described.manifest,
    diagnostics,
    activate: order.activate,
    orgSlug: order.org_slug,
    agentSlug: order.agent_slug,
  });
}
