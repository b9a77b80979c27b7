import type { ChannelDefinition } from "./channels/index";
import type { LiveHost } from "./host";
import type { CallTool, Session } from "./session-handle";

/** The principal a schedule's own work runs as. */
export interface AppAuth {
  readonly __p: true;
}

export interface ReceiveOptions {
  message: string;
  auth: AppAuth;
  target?: unknown;
  continuationToken?: string | undefined;
}

export interface ScheduleArgs {
  /** Hands a message to a channel so that its delivery events fire. */
  receive<S>(channel: ChannelDefinition<S>, options: ReceiveOptions): Promise<Session>;
  callTool: CallTool;
  waitUntil(work: Promise<unknown>): void;
  appAuth: AppAuth;
  host: LiveHost;
}

interface Cron {
  /** Five fields, UTC. */
  cron: string;
}

export interface HandlerSchedule extends Cron {
  run(args: ScheduleArgs): unknown;
  markdown?: undefined;
}

export interface MarkdownSchedule extends Cron {
  /** The prompt of the task session that each firing starts. */
  markdown: string;
  run?: undefined;
}

export type ScheduleDefinition = HandlerSchedule | MarkdownSchedule;

/** Declares a schedule with exactly one of `markdown` and `run`. */
export const defineSchedule = (definition: ScheduleDefinition): ScheduleDefinition => definition;
