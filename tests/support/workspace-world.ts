import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Manifest } from "../../src/protocol/manifest";
import { putBlob } from "../../src/server/blobs";
import { systemClock } from "../../src/server/platform/clock";
import { newId } from "../../src/server/platform/id";
import {
  createSandboxes,
  type SandboxDriver,
  type Sandboxes,
  WorkspaceFolders,
} from "../../src/server/sandbox";
import {
  openWorkspace,
  type SessionWorkspace,
  type ToSave,
  type WorkspaceSpec,
} from "../../src/server/workspaces";
import { manifestWith, type SeededAgent, seedAgent } from "./seed-agent";
import { startTestPlatform, type TestPlatform } from "./test-platform";

const NEVER: SandboxDriver = {
  name: "unsafe-process",
  probe: () => Promise.reject(new Error("no process is started here")),
  start: () => Promise.reject(new Error("no process is started here")),
  startShell: () => Promise.reject(new Error("no process is started here")),
  runBuild: () => Promise.reject(new Error("no process is started here")),
  close: () => Promise.resolve(),
};

/** A file's text; `-> target` of a link; `/` of an empty folder; `*` before what can be executed. */
export type Listing = Record<string, string>;

async function showEntry(at: string): Promise<string> {
  const stat = await lstat(at);
  if (stat.isSymbolicLink()) return `-> ${await readlink(at)}`;
  if (!stat.isFile()) return "?";
  return `${stat.mode & 0o100 ? "*" : ""}${await readFile(at, "utf8")}`;
}

export async function listFolder(folder: string, base = ""): Promise<Listing> {
  const found: Listing = {};
  const entries = await readdir(join(folder, base), { withFileTypes: true });
  if (entries.length === 0 && base !== "") found[base] = "/";
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = base === "" ? entry.name : `${base}/${entry.name}`;
    if (entry.isDirectory()) Object.assign(found, await listFolder(folder, path));
    else found[path] = await showEntry(join(folder, path));
  }
  return found;
}

/** The folders of one worker: real ones, without any process in them. */
export interface TestWorker {
  sandboxes: Sandboxes;
  folders: WorkspaceFolders;
  /** Holds its workspaces, by org and agent. */
  dir: string;
  /** Does what a guest's call would do in the session's folder. */
  inFolder<T>(sessionId: string, work: (path: string) => Promise<T>): Promise<T>;
  list(sessionId: string): Promise<Listing>;
  /** Ends this worker and everything it has on its disk. @returns the one that takes its place */
  lose(): Promise<TestWorker>;
}

export class WorkspaceWorld {
  private constructor(
    readonly folder: string,
    readonly platform: TestPlatform,
    readonly agent: SeededAgent,
    readonly manifest: Manifest,
  ) {}

  static async start(manifest: Partial<Manifest> = {}): Promise<WorkspaceWorld> {
    const folder = await mkdtemp(join(tmpdir(), "berth-workspaces-"));
    const platform = await startTestPlatform({ BERTH_STATE_DIR: folder });
    const full = manifestWith(manifest);
    return new WorkspaceWorld(folder, platform, await seedAgent(platform, full), full);
  }

  async stop(): Promise<void> {
    await this.platform.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Writes files of the project that version `version` was built from. */
  async project(version: number, files: Record<string, string>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      const at = join(this.bundle(version), "project", path);
      await mkdir(dirname(at), { recursive: true });
      await writeFile(at, text);
    }
  }

  bundle(version: number): string {
    return join(this.folder, "bundles", String(version));
  }

  worker(name: string): TestWorker {
    const root = join(this.folder, "workers", name);
    const folders = new WorkspaceFolders();
    const dir = join(root, "workspaces");
    const sandboxes = createSandboxes({
      driver: NEVER,
      folders,
      clock: systemClock,
      revision: () => Promise.resolve("1"),
      onHostCall: () => Promise.reject(new Error("no process is started here")),
      resolve: ({ orgId, agentId, version }) =>
        Promise.resolve({
          bundleDir: this.bundle(version),
          env: {},
          secretsRevision: "1",
          egressDomains: [],
          isolation: "agent" as const,
          workspaceRoot: join(dir, orgId, agentId),
          stateDir: join(root, "state"),
        }),
    });
    const ref = { ...this.agent, version: 1 };
    const inFolder = async <T>(sessionId: string, work: (path: string) => Promise<T>) =>
      (await sandboxes.workspaceFolder(ref, sessionId)).hold(work);
    return {
      sandboxes,
      folders,
      dir,
      inFolder,
      list: (sessionId) => inFolder(sessionId, listFolder),
      lose: async () => {
        await sandboxes.close();
        await rm(root, { recursive: true, force: true });
        return this.worker(name);
      },
    };
  }

  /** A session with one turn that runs. */
  async session(): Promise<string> {
    const { orgId, agentId } = this.agent;
    const id = newId("ses");
    await this.platform.sql(
      `INSERT INTO session (org_id, id, agent_id, channel, mode, principal, continuation_token)
       VALUES ($1, $2, $3, 'http', 'chat', 'test', $2)`,
      [orgId, id, agentId],
    );
    await this.platform.sql(
      `INSERT INTO turn (org_id, id, session_id, agent_id, status, principal)
       VALUES ($1, $2, $3, $4, 'running', 'test')`,
      [orgId, newId("trn"), id, agentId],
    );
    return id;
  }

  /** A turn's workspace on a worker. */
  hold(
    worker: TestWorker,
    sessionId: string,
    more: Partial<WorkspaceSpec> & { version?: number } = {},
  ): SessionWorkspace {
    const { version = 1, ...rest } = more;
    const { orgId, agentId } = this.agent;
    const ref = { orgId, agentId, version };
    const spec = { ref, sessionId, manifest: this.manifest, dryRun: false, ...rest };
    return openWorkspace(spec, worker.sandboxes);
  }

  /** The same, brought to what is saved. */
  async open(...held: Parameters<WorkspaceWorld["hold"]>): Promise<SessionWorkspace> {
    const workspace = this.hold(...held);
    await workspace.ready();
    return workspace;
  }

  /** Saves as a direct call does: fenced by the session's epoch. @returns revision and note */
  async save(workspace: SessionWorkspace, sessionId: string) {
    const { orgId } = this.agent;
    return await workspace.save(async ({ changes, note }: ToSave) => {
      if (!changes) return { revision: undefined, note };
      const [row] = await this.platform.sql<{ revision: number }>(
        `SELECT berth_save_held_workspace($1, $2,
           (SELECT epoch FROM session WHERE org_id = $1 AND id = $2), $3) AS revision`,
        [orgId, sessionId, JSON.stringify(changes)],
      );
      return { revision: row?.revision, note, changes };
    });
  }

  /** A message of the session's first turn that came with files. */
  async message(sessionId: string, files: Record<string, string>): Promise<string> {
    const { orgId } = this.agent;
    const sent = await Promise.all(
      Object.entries(files).map(async ([path, text]) => {
        const limits = { maxBytes: 1_000_000, holder: sessionId };
        return { path, ...(await putBlob(orgId, Buffer.from(text), limits)) };
      }),
    );
    const id = newId("msg");
    await this.platform.sql(
      `INSERT INTO message (org_id, id, session_id, turn_id, principal, text, files)
       SELECT org_id, $3, session_id, id, 'test', 'files', $4 FROM turn
       WHERE org_id = $1 AND session_id = $2 LIMIT 1`,
      [orgId, sessionId, id, JSON.stringify(sent)],
    );
    return id;
  }

  async rows(sessionId: string): Promise<string[]> {
    const rows = await this.platform.sql<{ path: string }>(
      "SELECT path FROM workspace_file WHERE org_id = $1 AND session_id = $2 ORDER BY path",
      [this.agent.orgId, sessionId],
    );
    return rows.map(({ path }) => path);
  }
}
