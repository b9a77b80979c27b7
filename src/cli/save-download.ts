import { open, rm } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { Cli } from "./cli";
import { CliError, EXIT, usageError } from "./exit-code";
import { plainText } from "./plain-text";

interface Target {
  /** `-` is stdout; absent, the name that the server gives it, in this folder. */
  file: string | undefined;
  overwrite: boolean;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return ""; // not a name that anybody meant
  }
}

/** The file name of an answer. Whatever the server says, it names a file of this folder. */
function nameOf(response: Response): string {
  const header = response.headers.get("content-disposition") ?? "";
  const encoded = /filename\*=UTF-8''([\w%!#$&+.^`|~-]+)/i.exec(header)?.[1];
  const name = basename(plainText(decoded(encoded ?? "")).replaceAll("\\", "/")).trim();
  return name === "" || /^\.+$/.test(name) ? "artifact" : name;
}

async function* arriving({ body }: Response): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    if (body) yield* body as AsyncIterable<Uint8Array>;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError("unreachable", `The download broke off: ${reason}.`, {
      exitCode: EXIT.server,
      fix: "Run it again.",
    });
  }
}

async function openNew(path: string, shown: string, overwrite: boolean) {
  return await open(path, overwrite ? "w" : "wx").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EEXIST") {
      throw usageError(`${shown} is there already.`, "Name another with --output, or add --force.");
    }
    throw usageError(`${shown} cannot be written: ${error.message}`);
  });
}

/**
 * Writes an answer's body to a file, as it arrives; a part is not left behind.
 * @returns undefined where it went to stdout
 */
export async function saveDownload(
  cli: Cli,
  response: Response,
  { file: named, overwrite }: Target,
): Promise<{ file: string; bytes: number } | undefined> {
  const chunks = arriving(response);
  if (named === "-") {
    for await (const chunk of chunks) await written(cli.io.stdout, chunk);
    return undefined;
  }
  const file = named ?? nameOf(response);
  const path = resolve(cli.io.cwd, file);
  const target = await openNew(path, file, overwrite);
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      await target.writeFile(chunk);
      bytes += chunk.length;
    }
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await target.close();
  }
  return { file, bytes };
}

const written = (stream: NodeJS.WritableStream, chunk: Uint8Array): Promise<void> =>
  new Promise((done) => {
    stream.write(chunk, () => done());
  });
