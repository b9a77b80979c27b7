import { type FileHandle, mkdir, open, unlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { AppError } from "../platform/errors";
import { newUuid } from "../platform/id";
import { platform } from "../platform/platform";
import { CONTENT_BYTES, type Contents } from "./contents";

/** Contents that arrive in parts, in a file without a name: it is gone with the process. */
export class Upload implements Contents {
  size = 0;
  #isText = true;
  #writing: Promise<unknown> = Promise.resolve();
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });

  private constructor(private readonly file: FileHandle) {}

  static async begin(): Promise<Upload> {
    const folder = join(resolve(platform().env.BERTH_STATE_DIR), "uploads");
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, newUuid());
    const file = await open(path, "wx+", 0o600);
    await unlink(path);
    return new Upload(file);
  }

  get isText(): boolean {
    return this.#isText && this.#decodes(new Uint8Array(), false);
  }

  /** Adds a part; parts are written in the order they are given. @throws AppError `body_too_large` */
  async add(part: Buffer): Promise<void> {
    this.size += part.length;
    if (this.size > CONTENT_BYTES) {
      throw new AppError("body_too_large", `An artifact holds at most ${CONTENT_BYTES} bytes.`);
    }
    this.#isText &&= this.#decodes(part, true);
    const at = this.size - part.length;
    const write = this.#writing.then(() => this.file.write(part, 0, part.length, at));
    this.#writing = write.catch(() => undefined);
    await write;
  }

  async *read(): AsyncGenerator<Uint8Array, void, undefined> {
    yield* this.file.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Buffer>;
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.file.close();
  }

  #decodes(bytes: Uint8Array, stream: boolean): boolean {
    try {
      this.#decoder.decode(bytes, { stream });
      return true;
    } catch {
      return false;
    }
  }
}
