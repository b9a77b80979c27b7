import type { ReminderDefinition } from "./host";

export type {
  ReminderAction,
  ReminderDefinition,
  ReminderRequest,
  ReminderRunArgs,
  ReminderSummary,
} from "./host";

/** Declares a named reminder handler; its name is the name of its file. */
export const defineReminder = (definition: ReminderDefinition): ReminderDefinition => definition;
