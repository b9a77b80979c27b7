import type { Redactor } from "./redactor";

/** Who may append to a running turn's log: the holder of the session's current epoch. */
export interface LogOwner {
  readonly orgId: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly epoch: number;
  readonly redactor: Redactor;
}
