import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Manifest } from "../../protocol/manifest";
import { loadVersion } from "../agents";
import type { AgentRef, AgentSpec } from "../sandbox";
import { runtimeEnv, runtimeRevision } from "../secrets";
import { appFolder, type BundleCache } from "./bundle-cache";

/** A version that is being described: bundled, but without a manifest yet. */
interface Draft {
  id: string;
  bundleSha: string;
}

type Facts = Pick<Manifest, "secretNames" | "egressDomains" | "isolation">;
/** A draft may go nowhere and gets the agent's own secrets only. */
const DRAFT_FACTS: Facts = { secretNames: [], egressDomains: [], isolation: "agent" };

const keyOf = ({ orgId, agentId, version }: AgentRef): string => `${orgId}/${agentId}/${version}`;

/** What it takes to run a version on this worker: the port that the sandboxes ask. */
export class VersionResolver {
  readonly #dir: string;
  readonly #bundles: BundleCache;
  readonly #drafts = new Map<string, Draft>();

  /** @param dir a folder of this process alone, for workspaces and state */
  constructor(dir: string, bundles: BundleCache) {
    this.#dir = dir;
    this.#bundles = bundles;
  }

  /** Bundle, environment and walls of a version. @throws AppError `not_found`, `version_not_ready`. */
  readonly resolve = async (ref: AgentRef): Promise<AgentSpec> => {
    const { orgId, agentId } = ref;
    const draft = this.#drafts.get(keyOf(ref));
    const { facts, bundleSha } = draft
      ? { facts: DRAFT_FACTS, bundleSha: draft.bundleSha }
      : await readyFacts(ref);
    const { secretNames, egressDomains, isolation } = facts;
    const [{ env, revision }, folder, workspaceRoot, stateDir] = await Promise.all([
      runtimeEnv({ orgId, agentId, secretNames }),
      this.#bundles.folder(orgId, bundleSha),
      this.#folder("workspaces", ref),
      this.#folder("state", ref),
    ]);
    return {
      bundleDir: appFolder(folder),
      env,
      secretsRevision: draft ? draft.id : revision,
      egressDomains,
      isolation,
      workspaceRoot,
      stateDir,
    };
  };

  /** Changes when the version's process must be replaced. One quick statement. */
  readonly revision = async (ref: AgentRef): Promise<string> => {
    const draft = this.#drafts.get(keyOf(ref));
    if (draft) return draft.id;
    const { facts, bundleSha } = await readyFacts(ref);
    this.#bundles.touch(ref.orgId, bundleSha);
    const { orgId, agentId } = ref;
    return runtimeRevision({ orgId, agentId, secretNames: facts.secretNames });
  };

  /** Runs work during which the version resolves to a bundle that has no manifest yet. */
  async withDraft<T>(ref: AgentRef, draft: Draft, run: () => Promise<T>): Promise<T> {
    this.#drafts.set(keyOf(ref), draft);
    try {
      return await run();
    } finally {
      this.#drafts.delete(keyOf(ref));
    }
  }

  async #folder(kind: string, { orgId, agentId }: AgentRef): Promise<string> {
    const folder = join(this.#dir, kind, orgId, agentId);
    await mkdir(folder, { recursive: true, mode: 0o755 });
    return folder;
  }
}

async function readyFacts(ref: AgentRef): Promise<{ facts: Facts; bundleSha: string }> {
  const { manifest, bundleSha } = await loadVersion(ref);
  return { facts: manifest, bundleSha };
}
