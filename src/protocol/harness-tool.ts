/** Tools every agent may have from Berth itself, in the session's sandbox. */
export const HARNESS_TOOLS = [
  "read",
  "write",
  "edit",
  "ls",
  "glob",
  "grep",
  "shell",
  "task",
  "skill",
] as const;
export type HarnessToolName = (typeof HARNESS_TOOLS)[number];
