/** A command to run in a jail without secrets: installing and bundling what a tenant uploaded. */
export interface BuildJob {
  id: string;
  /** Arguments of Node: the script, as a path inside the jail, and its arguments. */
  args: string[];
  /** Host folder seen as `/build`, the only one that outlives the job. */
  buildDir: string;
  /** Host folders (or files) to be seen read-only at these paths. */
  readOnly: { source: string; target: string }[];
  env: Record<string, string>;
  /**
   * Hosts the operator lets builds reach (the registry), as `host` or `host:port`; none = no way
   * out. Never from a tenant: these may be on private addresses.
   */
  egressDomains: string[];
  timeoutMs: number;
  memoryMb: number;
  signal?: AbortSignal;
  /** One line of the job's output, without its end. */
  onLine: (line: string, stream: "stdout" | "stderr") => void;
}

export interface BuildResult {
  /** `null` when it did not end by itself. */
  exitCode: number | null;
  /** Why it was ended: absent when it ended by itself. */
  killed?: "timeout" | "memory" | "cancelled";
  durationMs: number;
}
