import type { WritableLike } from "./output";

export interface ReadableLike extends NodeJS.ReadableStream {
  isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
}

/** Everything of the outside world a command may touch. */
export interface CliIo {
  stdin: ReadableLike;
  stdout: WritableLike;
  stderr: WritableLike;
  env: Record<string, string | undefined>;
  cwd: string;
  fetch: typeof fetch;
  /** Calls the handler at Ctrl-C until the returned function is called. */
  onInterrupt(handler: () => void): () => void;
}
