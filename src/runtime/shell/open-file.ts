import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { fileRefusal, Refusal } from "./refusal";

/** Neither waits for the other end of a pipe nor follows a link put there meanwhile. */
const SAFE = constants.O_NONBLOCK | constants.O_NOFOLLOW;

async function openRegular(name: string, path: string, flags: number): Promise<FileHandle> {
  let file: FileHandle;
  try {
    file = await open(path, flags | SAFE, 0o666);
  } catch (error) {
    throw fileRefusal(name, error);
  }
  const found = await file.stat();
  if (found.isFile()) return file;
  await file.close();
  throw new Refusal(
    `${name} is ${found.isDirectory() ? "a folder" : "neither a file nor a folder"}.`,
  );
}

/** Runs `use` with a regular file opened for reading. `name` is for the Refusal it may throw. */
export async function withFile<T>(
  name: string,
  path: string,
  use: (file: FileHandle) => Promise<T>,
): Promise<T> {
  const file = await openRegular(name, path, constants.O_RDONLY);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** Replaces a file's content, or makes the file. Its mode stays. */
export async function replaceFile(name: string, path: string, content: string): Promise<void> {
  const file = await openRegular(name, path, constants.O_WRONLY | constants.O_CREAT);
  try {
    await file.truncate();
    await file.writeFile(content);
  } catch (error) {
    throw fileRefusal(name, error);
  } finally {
    await file.close();
  }
}
