import type { JsonObject, JsonValue } from "./json";
import type { Octo, SlackWeb } from "./platform-clients";
import type { Session } from "./session-handle";

/** Durable values per agent. Returned objects are fresh copies; a missing key is `undefined`. */
export interface HostKv {
  get(key: string): Promise<JsonValue | undefined>;
  put(key: string, value: JsonValue): Promise<void>;
  delete(key: string): Promise<void>;
  list?(prefix?: string): Promise<string[]>;
  /** Reads, changes and writes one key so that concurrent changes are not lost. */
  update?(key: string, change: (current: JsonValue | undefined) => JsonValue): Promise<JsonValue>;
}

/** Durable bytes per agent. */
export interface HostFiles {
  get(path: string): Promise<Uint8Array | undefined>;
  put(path: string, contents: string | Uint8Array): Promise<void>;
  delete(path: string): Promise<void>;
  list(prefix?: string): Promise<{ path: string; size: number }[]>;
}

export type HostMcpContent = { type: string; text?: unknown; [key: string]: unknown };

export interface HostMcpCallResult {
  content: HostMcpContent[];
  isError?: boolean;
}

export interface HostMcpTool {
  name: string;
  description?: string;
  inputSchema?: JsonObject;
}

/** The project's own MCP connections. */
export interface HostMcp {
  names(): string[];
  callTool(name: string, tool: string, args?: Record<string, unknown>): Promise<HostMcpCallResult>;
  listTools?(name: string): Promise<HostMcpTool[]>;
}

export interface HostReminders {
  create(request: ReminderRequest): Promise<{ id: string }>;
  list(): Promise<ReminderSummary[]>;
  cancel(id: string): Promise<void>;
}

export interface HostOtel {
  setAttributes(attributes: Record<string, string | number | boolean>): void;
  increment(name: string, by?: number, attributes?: Record<string, string>): void;
  record(name: string, value: number, attributes?: Record<string, string>): void;
}

/** Host services. Members beyond the first four are optional so that test doubles stay small. */
export interface Host {
  kv: HostKv;
  mcp: HostMcp;
  slack: { getClient(): Promise<SlackWeb> };
  github: { getOctokit(): Promise<Octo> };
  files?: HostFiles;
  reminders?: HostReminders;
  otel?: HostOtel;
}

/** The host as callbacks receive it: every member is there. */
export type LiveHost = Required<Omit<Host, "kv" | "mcp">> & {
  kv: Required<HostKv>;
  mcp: Required<HostMcp>;
};

export type ReminderAction = "stop" | "skip" | "delivered";

export interface ReminderRunArgs {
  args: JsonObject;
  /** Wakes the conversation the reminder is bound to. */
  followup(message: { message: string; context?: string[] }): Promise<Session>;
  host: LiveHost;
  reminder: ReminderSummary;
}

export interface ReminderDefinition {
  run(args: ReminderRunArgs): Promise<{ action: ReminderAction }> | { action: ReminderAction };
}

export interface ReminderSummary {
  id: string;
  purpose: string;
  /** Next due instant, ISO 8601. */
  dueAt?: string;
}

/** A reminder to arm: exactly one of `delay`, `at`, `every` and `cron`. */
export interface ReminderRequest {
  purpose: string;
  channelId?: string | undefined;
  continuationToken?: string | undefined;
  /** Durations are written `90s`, `2h`, `1d`. */
  delay?: string | undefined;
  at?: string | Date | undefined;
  every?: string | undefined;
  cron?: string | undefined;
  prompt?: string | undefined;
  handler?: ReminderDefinition | undefined;
  run?: ReminderDefinition["run"] | undefined;
  args?: JsonObject | undefined;
  until?: string | undefined;
}
