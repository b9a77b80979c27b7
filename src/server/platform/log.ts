import { type Logger, pino } from "pino";

export type { Logger } from "pino";

/** The process's logger: JSON lines on stderr. Bodies and credentials never go in. */
export const createLogger = (name: string, level: string): Logger =>
  pino({ name, level, base: { name } }, pino.destination({ dest: 2, sync: false }));
