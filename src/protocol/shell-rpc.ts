/**
 * Messages between a worker and the shell of one session: the same frames as the agent process has
 * (`runtime-rpc.ts`), other calls. Paths are relative to the session's workspace, or absolute and
 * inside it; `..` and links that leave it are refused.
 */

/** Work the worker asks of a session's shell. */
export type ShellCall =
  /** `offset` is the first line wanted, from 1; `limit` how many lines. */
  | { kind: "read"; path: string; offset?: number; limit?: number }
  /** Replaces the file or creates it, with the folders above it. */
  | { kind: "write"; path: string; content: string }
  /** `oldText` must occur exactly once, unless `all`. */
  | { kind: "edit"; path: string; oldText: string; newText: string; all?: boolean }
  | { kind: "ls"; path?: string }
  /** Knows `*`, `**`, `?`, `[…]` and `{a,b}`; relative to `path`. */
  | { kind: "glob"; pattern: string; path?: string }
  /** `pattern` is a JavaScript regular expression; `glob` narrows the files. */
  | {
      kind: "grep";
      pattern: string;
      path?: string;
      glob?: string;
      ignoreCase?: boolean;
      maxMatches?: number;
    }
  /** Runs in bash. With `egress: false` nothing is reachable; else the agent's domains are. */
  | { kind: "shell"; command: string; timeoutMs?: number; cwd?: string; egress?: boolean }
  /** Runs a file of the workspace, such as an agent tool, with `stdin` and nothing else as input. */
  | { kind: "script"; path: string; stdin: string; timeoutMs?: number; egress?: boolean };

export type ShellCallKind = ShellCall["kind"];

/** What a file holds. Text is cut to `lineCount` whole lines of the `totalLines`. */
export type FileContent =
  | {
      type: "text";
      text: string;
      firstLine: number;
      lineCount: number;
      totalLines: number;
      /** Lines before or after are left out, or a line is cut. */
      truncated: boolean;
    }
  | { type: "image"; base64: string; mimeType: string; bytes: number }
  | { type: "binary"; bytes: number };

export interface FolderEntry {
  name: string;
  type: "file" | "folder" | "link" | "other";
  bytes: number;
}

export interface GrepMatch {
  path: string;
  /** From 1. */
  line: number;
  /** The line, cut where it is long. */
  text: string;
}

/** How a program ended: by itself, with a code, or by a signal. */
export interface ProgramEnd {
  exitCode: number | null;
  signal: string | null;
  /** It was killed, with all of its process group, at its time limit. */
  timedOut: boolean;
  durationMs: number;
}

/** Output of a program: all of it in `head`, or its two ends and how much is missing between. */
export interface ProgramOutput {
  head: string;
  tail: string;
  omittedBytes: number;
}

type Done<Kind extends ShellCallKind, More> = { ok: true; kind: Kind; changed: boolean } & More;

/**
 * What became of a call. `changed` says whether the workspace may be different now. `ok: false` is
 * for the model to read: a missing file, a path outside; a program that fails is `ok` all the same.
 */
export type ShellOutcome =
  | Done<"read", { content: FileContent }>
  | Done<"write", { created: boolean; bytes: number }>
  | Done<"edit", { replacements: number }>
  | Done<"ls", { entries: FolderEntry[]; truncated: boolean }>
  | Done<"glob", { paths: string[]; truncated: boolean }>
  | Done<"grep", { matches: GrepMatch[]; truncated: boolean }>
  | Done<"shell", { output: ProgramOutput; end: ProgramEnd }>
  | Done<"script", { stdout: string; stderr: ProgramOutput; end: ProgramEnd }>
  | { ok: false; message: string };

/** First frame to a session's shell. It holds no secret. */
export interface ShellInit {
  t: "init";
  env: Record<string, string>;
  /** The workspace, as the guest sees it. */
  workspace: string;
  /** The shim that sends TCP through the gateway's socket; absent where egress is closed. */
  egress?: { shim: string; socket: string };
  limits: { maxFrameBytes: number; maxResultBytes: number };
}
