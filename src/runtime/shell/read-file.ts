import type { FileHandle } from "node:fs/promises";
import type { FileContent, ShellCall, ShellOutcome } from "../../protocol/shell-rpc";
import { imageType } from "./image-type";
import { withFile } from "./open-file";
import { Refusal } from "./refusal";
import { TextWindow } from "./text-window";
import type { Workspace } from "./workspace";

type ReadCall = Extract<ShellCall, { kind: "read" }>;

const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
const DEFAULT_LINES = 2000;
const HEAD_BYTES = 8192;

async function headOf(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

/** Whether bytes are not text: a NUL or what is not UTF-8. A character cut at the end is no sign. */
export function isBinary(head: Buffer): boolean {
  if (head.includes(0)) return true;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return false;
  } catch {
    return true;
  }
}

async function readText(file: FileHandle, call: ReadCall): Promise<FileContent> {
  const window = new TextWindow(call.offset ?? 1, call.limit ?? DEFAULT_LINES);
  const decoder = new TextDecoder();
  for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) {
    window.add(decoder.decode(chunk as Buffer, { stream: true }));
  }
  window.add(decoder.decode());
  return window.content();
}

async function readImage(file: FileHandle, name: string, mimeType: string): Promise<FileContent> {
  const { size } = await file.stat();
  if (size > MAX_IMAGE_BYTES) {
    throw new Refusal(
      `${name} is an image of ${size} bytes; at most ${MAX_IMAGE_BYTES} are shown.`,
    );
  }
  const bytes = await file.readFile();
  return { type: "image", base64: bytes.toString("base64"), mimeType, bytes: bytes.length };
}

/** What a file holds: lines of text, an image, or only that it is neither. */
export async function readFile(workspace: Workspace, call: ReadCall): Promise<ShellOutcome> {
  const path = await workspace.resolve(call.path);
  const content = await withFile(call.path, path, async (file): Promise<FileContent> => {
    const head = await headOf(file);
    const mimeType = imageType(head);
    if (mimeType !== undefined) return readImage(file, call.path, mimeType);
    if (isBinary(head)) return { type: "binary", bytes: (await file.stat()).size };
    return readText(file, call);
  });
  return { ok: true, kind: "read", changed: false, content };
}
