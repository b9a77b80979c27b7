import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { blobBatch } from "../blobs";
import type { WorkspaceFolder } from "../sandbox";
import { type FoundFiles, findFiles, type Quota, type SavedFiles } from "./find-files";
import { Folder } from "./folder";
import { type FolderChanges, keepFiles } from "./keep-files";
import { readNotes, removeNotes, writeNotes } from "./notes";
import { readSaved, type SavedWorkspace } from "./read-saved";
import { type Known, restoreTree } from "./restore-tree";
import { sameFile } from "./saved-file";
import { unavailable } from "./unavailable";
import { unsavedNote } from "./unsaved-note";
import { withChanges } from "./with-changes";
import { type Folders, type WorkspaceVersion, workspaceTree } from "./workspace-tree";
import { writeFileAt } from "./write-file-at";

export const WORKSPACE_QUOTA: Quota = { bytes: 512 * 1024 * 1024, files: 20_000 };

/** What is written in one statement with the result of the call that changed the workspace. */
export interface WorkspaceChanges extends FolderChanges {
  /** The version whose seed files, skills and tools are in it. */
  version: number;
  /** Messages whose files are in it from now on. */
  messages: string[];
}

export interface ToSave {
  /** Absent when nothing changed. */
  changes?: WorkspaceChanges;
  /** For the model: which files are not saved, and why. Each is told once. */
  note?: string;
}

export interface WorkspaceSpec extends WorkspaceVersion {
  /** Nothing of a dry run is saved: its folder goes when the turn ends. */
  dryRun: boolean;
  quota?: Quota;
}

interface Prepared {
  folder: WorkspaceFolder;
  /** The version whose files are saved; null while nothing is. */
  version: number | null;
  saved: SavedFiles;
  /** What the folder held when it was last looked at. */
  current: SavedFiles;
  known: Known;
  messages: string[];
}

/** The workspace of a session while a turn, or a direct call, works in it. */
export class SessionWorkspace {
  #prepared: Promise<Prepared> | undefined;
  /** Saves and late messages, one at a time. */
  #saving: Promise<unknown> = Promise.resolve();
  #joining: Promise<void> = Promise.resolve();
  readonly #told = new Set<string>();

  /** @param isMine whether nobody took the folder over since */
  constructor(
    private readonly spec: WorkspaceSpec,
    private readonly folders: Folders,
    private readonly isMine: () => boolean,
    private readonly onClose: () => void,
  ) {}

  /**
   * Brings the folder to what is saved, once; later calls answer at once. To be awaited before
   * every call that may look into it. @throws AppError `workspace_unavailable`
   */
  async ready(): Promise<void> {
    this.#prepared ??= this.#prepare();
    await this.#prepared;
    await this.#joining;
  }

  /** Says that messages joined the turn: the next `ready` also waits for their files. */
  joined(): void {
    if (this.#prepared === undefined) return; // it will read them with the others
    const joining = this.#saving.then(() => this.#addMessages());
    this.#joining = joining;
    this.#saving = joining.catch(() => undefined);
  }

  /**
   * Finds and keeps what calls changed, and has it written together with their results: one save
   * at a time. `write` is run in any case; when it rejects, nothing counts as saved.
   */
  save<T>(write: (saved: ToSave) => Promise<T>): Promise<T> {
    const result = this.#saving.then(() => this.#save(write));
    this.#saving = result.catch(() => undefined);
    return result;
  }

  /** To be called when the turn or the call has ended, however. */
  async close(): Promise<void> {
    this.onClose();
    await this.#saving;
    const prepared = await this.#prepared?.catch(() => undefined);
    if (!prepared) return;
    if (this.spec.dryRun) {
      await prepared.folder.remove();
      await removeNotes(this.#notesOf(prepared.folder));
    } else {
      await prepared.folder.rest();
      // A folder that stayed empty has nothing to note.
      if (prepared.known.size > 0) {
        await writeNotes(this.#notesOf(prepared.folder), prepared.known);
      }
    }
  }

  #notesOf({ notes }: WorkspaceFolder): string {
    return join(notes, `${this.spec.sessionId}.json`);
  }

  async #prepare(): Promise<Prepared> {
    const { ref, sessionId } = this.spec;
    const saved = await readSaved(ref.orgId, sessionId);
    const tree = await workspaceTree(this.spec, saved, this.folders);
    const folder = await this.folders.workspaceFolder(ref, sessionId);
    const bring = async (root: Folder): Promise<Known> => {
      const noted = await readNotes(this.#notesOf(folder));
      return this.isMine() ? await restoreTree(root, tree, noted, folder.notes) : noted;
    };
    const known = await within(folder, bring).catch(unavailable);
    const { version, files } = saved;
    return { folder, version, saved: files, current: tree, known, messages: idsOf(saved) };
  }

  async #addMessages(): Promise<void> {
    const prepared = await this.#prepared;
    if (!prepared) return;
    const { ref, sessionId } = this.spec;
    const saved = await readSaved(ref.orgId, sessionId);
    const { folder, messages } = prepared;
    const added = saved.messages.filter(({ id }) => !messages.includes(id));
    await within(folder, async (root) => {
      const { uid, gid } = await root.stat();
      await mkdir(folder.notes, { recursive: true, mode: 0o700 });
      const place = { staging: folder.notes, owner: { uid, gid } };
      for (const { files } of added) {
        for (const [path, file] of files) await writeFileAt(root, path, file, place);
      }
    }).catch(unavailable);
    this.#prepared = Promise.resolve({ ...prepared, messages: idsOf(saved) });
  }

  async #save<T>(write: (saved: ToSave) => Promise<T>): Promise<T> {
    const prepared = this.spec.dryRun ? undefined : await this.#prepared;
    if (!prepared) return await write({});
    return await within(prepared.folder, async (root) => {
      const { note, changes, after } = await this.#look(root, prepared);
      const written = await write({ ...note, ...(changes ? { changes } : {}) });
      this.#prepared = Promise.resolve(after);
      return written;
    });
  }

  /** What there is to write, and what is true once it is written. */
  async #look(root: Folder, prepared: Prepared) {
    const { saved, messages, current } = prepared;
    const quota = this.spec.quota ?? WORKSPACE_QUOTA;
    const found = await findFiles(root, { ...prepared, quota });
    const note = this.#noteOf(found, quota);
    const { known } = found;
    if (isSame(found, current)) return { note, after: { ...prepared, known } };
    const { ref, sessionId } = this.spec;
    const kept = await keepFiles(root, found, saved, blobBatch(ref.orgId, sessionId));
    const { version } = ref;
    const changes = { ...kept, version, messages };
    if (isNothing(changes, prepared)) return { note, after: { ...prepared, known } };
    const files = withChanges(saved, kept);
    const after = { ...prepared, version, saved: files, current: files, known, messages: [] };
    return { note, changes, after };
  }

  #noteOf({ unsaved }: FoundFiles, quota: Quota): Pick<ToSave, "note"> {
    const untold = unsaved.filter((line) => !this.#told.has(line));
    for (const line of untold) this.#told.add(line);
    return untold.length === 0 ? {} : { note: unsavedNote(untold, quota) };
  }
}

const idsOf = ({ messages }: SavedWorkspace): string[] => messages.map(({ id }) => id);

const within = <T>(folder: WorkspaceFolder, work: (root: Folder) => Promise<T>): Promise<T> =>
  folder.hold(async (path) => (await Folder.open(path)).use(work));

/** A workspace that is what it was made to be needs no saving: it would be made so again. */
function isSame({ files, stay, complete }: FoundFiles, current: SavedFiles): boolean {
  if (!complete || stay.size > 0 || files.size !== current.size) return false;
  return [...files].every(([path, file]) => {
    const before = current.get(path);
    return before !== undefined && sameFile(before, file);
  });
}

const isNothing = (changes: WorkspaceChanges, before: Prepared): boolean =>
  changes.files.length + changes.gone.length + changes.messages.length === 0 &&
  changes.version === before.version;
