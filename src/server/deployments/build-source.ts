import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { BuildLogEntry } from "../../protocol/build-log";
import type { Diagnostic } from "../../protocol/manifest";
import { openBlob, putBlob } from "../blobs";
import { AppError } from "../platform/errors";
import { withSqlTransaction } from "../platform/transaction";
import { BUNDLE_LIMITS, SOURCE_LIMITS } from "./archive-limits";
import type { BuildLease } from "./build-lease";
import { extractArchive } from "./extract-archive";
import { packBundle } from "./pack-bundle";
import { type RunBuild, runProjectBuild } from "./run-project-build";

export interface BuiltSource {
  /** Absent when there is no bundle; the diagnostics say why. */
  bundleSha?: string;
  diagnostics: Diagnostic[];
}

export interface BuildContext {
  /** Folder for builds, of this process alone. */
  dir: string;
  runBuild: RunBuild;
  root: string;
  /** Stamp of the programs below `root`. */
  toolchain: string;
  write(entry: BuildLogEntry): void;
  signal: AbortSignal;
}

/** The bundle that the same source gave before by the same programs, in the same org. */
async function earlierBundle(
  orgId: string,
  sourceSha: string,
  toolchain: string,
): Promise<BuiltSource | undefined> {
  const [row] = await withSqlTransaction(orgId, ({ sql }) =>
    sql<{ bundle_sha: string }>(
      `SELECT bundle_sha FROM deployment
       WHERE org_id = $1 AND source_sha = $2 AND toolchain = $3 AND status = 'ready'
         AND bundle_sha IS NOT NULL
       ORDER BY finished_at DESC LIMIT 1`,
      [orgId, sourceSha, toolchain],
    ),
  );
  return row && { bundleSha: row.bundle_sha, diagnostics: [] };
}

const archiveDiagnostic = ({ details, message }: AppError): Diagnostic => ({
  severity: "error",
  code: "invalid_archive",
  message,
  file: typeof details.entry === "string" ? details.entry : ".",
});

async function buildIn(
  folder: string,
  lease: BuildLease,
  sourceSha: string,
  { runBuild, root, write, signal }: BuildContext,
): Promise<BuiltSource> {
  const source = join(folder, "source");
  await mkdir(source);
  write({ type: "phase", phase: "extract" });
  const { stream } = await openBlob(lease.orgId, sourceSha);
  try {
    await extractArchive(stream, source, SOURCE_LIMITS);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { diagnostics: [archiveDiagnostic(error)] };
  }
  const id = `b${lease.version}-${lease.attempt}-${lease.agentId.slice(-12)}`;
  const diagnostics = await runProjectBuild({ id, dir: folder, runBuild, root, write, signal });
  if (diagnostics.some(({ severity }) => severity === "error")) return { diagnostics };
  const { sha256 } = await putBlob(lease.orgId, await packBundle(folder), {
    maxBytes: BUNDLE_LIMITS.unpackedBytes,
  });
  return { bundleSha: sha256, diagnostics };
}

/** Makes a bundle of an uploaded source, or finds the one that it gave before by the same programs. */
export async function buildSource(
  lease: BuildLease,
  sourceSha: string,
  context: BuildContext,
): Promise<BuiltSource> {
  const earlier = await earlierBundle(lease.orgId, sourceSha, context.toolchain);
  if (earlier) {
    context.write({ type: "log", text: "This source was built before; its bundle is used again." });
    return earlier;
  }
  await mkdir(context.dir, { recursive: true, mode: 0o755 });
  const folder = await mkdtemp(join(context.dir, "build-"));
  try {
    return await buildIn(folder, lease, sourceSha, context);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
