import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { ProjectScan } from "../../project/project-scan";
import { toManifest } from "../../project/to-manifest";
import { Description } from "../../protocol/description";
import { type Diagnostic, Manifest } from "../../protocol/manifest";
import { now } from "../platform/platform";
import { type Invoke, SandboxError } from "../sandbox";
import { listSecrets, runtimeRedactor } from "../secrets";
import { ctxForSystem } from "../tenancy";
import type { BuildLease } from "./build-lease";
import { type BundleCache, hostFolder } from "./bundle-cache";
import type { VersionResolver } from "./version-resolver";

const DESCRIBE_TIMEOUT_MS = 30_000;

export interface DescribePorts {
  bundles: BundleCache;
  resolver: VersionResolver;
  invoke: Invoke;
}

interface Described {
  /** Absent when the bundle could not be described. */
  manifest?: Manifest;
  diagnostics: Diagnostic[];
}

const problem = (file: string, code: string, message: string): Described => ({
  diagnostics: [{ severity: "error", code, message, file }],
});

async function readScan(folder: string): Promise<ProjectScan> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW;
  const file = await open(join(hostFolder(folder), "scan.json"), flags);
  try {
    return ProjectScan.parse(JSON.parse(await file.readFile("utf8")));
  } finally {
    await file.close();
  }
}

/** Secrets that the manifest names and nobody has set. */
async function missingSecrets(
  { orgId, agentId }: BuildLease,
  names: string[],
  { agentFile, slug }: { agentFile: string; slug: string },
): Promise<Diagnostic[]> {
  const ctx = ctxForSystem(orgId, "build");
  const known = [...(await listSecrets(ctx, { agentId })), ...(await listSecrets(ctx, {}))];
  const set = new Set(known.map(({ name }) => name));
  return names
    .filter((name) => !set.has(name))
    .map((name) => ({
      severity: "warning",
      code: "secret_missing",
      message: `hosting.secretNames has ${name}, which is not set`,
      file: agentFile,
      fix: `berth secrets set ${slug} ${name}`,
    }));
}

async function loadDefinitions(
  lease: BuildLease,
  bundleSha: string,
  { resolver, invoke }: DescribePorts,
): Promise<unknown> {
  const { orgId, agentId, version, attempt } = lease;
  const ref = { orgId, agentId, version };
  const draft = { id: `draft-${version}-${attempt}`, bundleSha };
  return await resolver.withDraft(ref, draft, () =>
    invoke(ref, { kind: "describe" }, { timeoutMs: DESCRIBE_TIMEOUT_MS, repeatable: true }),
  );
}

/**
 * Loads a bundle's definitions in the agent's sandbox, with its secrets and no way out, and joins
 * them with the walk of its files. What comes back holds no value of a secret.
 */
export async function describeDraft(
  lease: BuildLease,
  { bundleSha, slug }: { bundleSha: string; slug: string },
  ports: DescribePorts,
): Promise<Described> {
  const scan = await readScan(await ports.bundles.folder(lease.orgId, bundleSha));
  const agentFile = `${scan.root}/agent.ts`;
  const { orgId, agentId } = lease;
  const redactor = await runtimeRedactor({ orgId, agentId, secretNames: [] });
  let answer: unknown;
  try {
    answer = redactor.json(await loadDefinitions(lease, bundleSha, ports));
  } catch (error) {
    if (!(error instanceof SandboxError) || error.code === "runtime_lost") throw error;
    return problem(agentFile, "describe_failed", redactor.text(error.message));
  }
  const description = Description.safeParse(answer);
  if (!description.success) {
    return problem(agentFile, "describe_failed", "The agent process described itself wrongly.");
  }
  const { manifest, diagnostics } = toManifest(scan, description.data, now(), slug);
  const missing = await missingSecrets(lease, manifest.secretNames, { agentFile, slug });
  return { manifest: Manifest.parse(manifest), diagnostics: [...diagnostics, ...missing] };
}
