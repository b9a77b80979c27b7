import { z } from "zod";

/** The largest index a log can have. */
const LAST_INDEX = 2 ** 31 - 1;
const WHOLE = /^(?:0|[1-9]\d*)$/;

/**
 * `startIndex` of a log: the first index wanted. Negative, fractional and beyond 2^53 is refused;
 * beyond what a log can hold is past every tail, so it waits.
 */
export const StartIndex = z
  .string()
  .regex(WHOLE, "must be a whole number from 0 on")
  .refine((text) => Number(text) <= Number.MAX_SAFE_INTEGER, "must be at most 2^53 - 1")
  .transform((text) => Math.min(Number(text), LAST_INDEX));

/** The index after the one that a `Last-Event-ID` header names. */
export const indexAfter = (lastEventId: string | null): number | undefined =>
  lastEventId !== null && WHOLE.test(lastEventId)
    ? Math.min(Number(lastEventId) + 1, LAST_INDEX)
    : undefined;
