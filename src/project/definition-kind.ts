/** Kinds whose folder holds one definition per file, with the folder below the root. */
export const FOLDER_KINDS = {
  tools: "tools",
  skills: "skills",
  channels: "channels",
  schedules: "schedules",
  reminders: "reminders",
  hooks: "hooks",
  subagents: "subagents",
  extensions: "extensions",
  "mcp-connections": "mcpConnections",
  "host-connections": "hostConnections",
} as const;

export type FolderKind = (typeof FOLDER_KINDS)[keyof typeof FOLDER_KINDS];

/** Definitions that stand alone in a file of the root. */
export const SINGLE_KINDS = ["agent", "instructions", "artifacts", "result"] as const;
export type SingleKind = (typeof SINGLE_KINDS)[number];
