import { z } from "zod";
import { openKnownBlob } from "../blobs";
import { AppError } from "../platform/errors";
import { withSqlTransaction } from "../platform/transaction";
import { isKeepablePath } from "./path-rules";
import { plainMode, type SavedFile } from "./saved-file";
import { setFile, type Tree, type TreeFile } from "./tree";

/** What is saved of a session's workspace. */
export interface SavedWorkspace {
  revision: number;
  /** The version whose files it has; null while nothing is saved. */
  version: number | null;
  files: Tree;
  /** Messages whose files are still to be written into it, oldest first. */
  messages: { id: string; files: Tree }[];
}

interface FileRow {
  path: string;
  sha256: string | null;
  size: string;
  mode: number;
}

const FILES = `SELECT path, sha256, size, mode FROM workspace_file
  WHERE org_id = $1 AND session_id = $2`;

interface SessionRow {
  revision: number;
  version: number | null;
}

const SentFiles = z.array(z.object({ path: z.string(), sha256: z.string(), size: z.number() }));

const blobFile = (holder: string, file: SavedFile): TreeFile => ({
  ...file,
  open: () => openKnownBlob(file.sha256 ?? "", holder),
});

/** Reads what is saved of a workspace. @throws AppError `workspace_unavailable` without a session */
export async function readSaved(orgId: string, sessionId: string): Promise<SavedWorkspace> {
  return await withSqlTransaction(orgId, async ({ sql }) => {
    const at = [orgId, sessionId];
    const [session] = await sql<SessionRow>(
      `SELECT workspace_revision AS revision, workspace_version AS version
       FROM session WHERE org_id = $1 AND id = $2`,
      at,
    );
    if (!session)
      throw new AppError("workspace_unavailable", "The session does not exist any more.");
    const rows = session.revision === 0 ? [] : await sql<FileRow>(FILES, at);
    // A message of a turn that still waits is not for the turn that runs.
    const sent = await sql<{ id: string; files: unknown }>(
      `SELECT m.id, m.files FROM message m
       JOIN turn t ON t.org_id = m.org_id AND t.id = m.turn_id
       WHERE m.org_id = $1 AND m.session_id = $2 AND m.files IS NOT NULL
         AND m.files_revision IS NULL AND t.status <> 'queued'
       ORDER BY m.created_at, m.id`,
      at,
    );
    const files = rows.map(
      ({ path, size, ...row }) =>
        [path, blobFile(sessionId, { ...row, size: Number(size) })] as const,
    );
    return {
      ...session,
      files: new Map(files),
      messages: sent.map((row) => sentFiles(sessionId, row)),
    };
  });
}

/** Paths were checked when the message came; that none leads out is not left to that alone. */
function sentFiles(sessionId: string, { id, files }: { id: string; files: unknown }) {
  const tree: Tree = new Map();
  for (const { path, ...file } of SentFiles.parse(files)) {
    if (!isKeepablePath(path)) continue;
    setFile(tree, path, blobFile(sessionId, { ...file, mode: plainMode(0o644) }));
  }
  return { id, files: tree };
}
