import { AppError, notFound } from "../platform/errors";
import { newUuid } from "../platform/id";
import { Upload } from "./upload";

/** Uploads that one agent may have open on one worker, and how long one may lie. */
const MAX_OPEN = 16;
const IDLE_MS = 5 * 60_000;

interface Open {
  owner: string;
  upload: Upload;
  timer: NodeJS.Timeout;
}

/** The uploads that the agents of this process have begun and not yet tagged. */
export class Uploads {
  readonly #open = new Map<string, Open>();
  /** Owners of uploads whose file is being made: they count as open. */
  readonly #beginning: string[] = [];

  /** @throws AppError `rate_limited` when too many are open */
  async begin(owner: string): Promise<string> {
    const owners = [...this.#beginning, ...[...this.#open.values()].map((open) => open.owner)];
    if (owners.filter((other) => other === owner).length >= MAX_OPEN) {
      throw new AppError("rate_limited", `At most ${MAX_OPEN} artifacts are sent at a time.`);
    }
    this.#beginning.push(owner);
    try {
      const id = newUuid();
      const upload = await Upload.begin();
      const timer = setTimeout(() => void this.#drop(id), IDLE_MS).unref();
      this.#open.set(id, { owner, upload, timer });
      return id;
    } finally {
      this.#beginning.splice(this.#beginning.indexOf(owner), 1);
    }
  }

  /** Adds a part. One that does not fit ends the upload. @throws AppError `not_found`, `body_too_large` */
  async add(owner: string, id: string, part: Buffer): Promise<void> {
    const { upload, timer } = this.#find(owner, id);
    timer.refresh();
    try {
      await upload.add(part);
    } catch (error) {
      await this.#drop(id);
      throw error;
    }
  }

  /** Hands an upload to `use` and forgets it. @throws AppError `not_found` */
  async take<T>(owner: string, id: string, use: (upload: Upload) => Promise<T>): Promise<T> {
    const { upload, timer } = this.#find(owner, id);
    clearTimeout(timer);
    this.#open.delete(id);
    try {
      return await use(upload);
    } finally {
      await upload.close();
    }
  }

  #find(owner: string, id: string): Open {
    const open = this.#open.get(id);
    if (open?.owner !== owner) throw notFound();
    return open;
  }

  async #drop(id: string): Promise<void> {
    const open = this.#open.get(id);
    this.#open.delete(id);
    clearTimeout(open?.timer);
    await open?.upload.close();
  }
}
