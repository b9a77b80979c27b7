import type { LiveHost } from "./host";
import type { JsonObject } from "./json";
import type { Session } from "./session-handle";

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

/** Declares a named reminder handler; its name is the name of its file. */
export const defineReminder = (definition: ReminderDefinition): ReminderDefinition => definition;
