import type { NewEvent } from "../../protocol/event";
import { byteLength, encodeJson } from "../platform/json-safety";
import type { Redactor } from "./redactor";

/** Largest stored event in UTF-8 bytes: a message of 1 MiB whose every character is escaped. */
const MAX_EVENT_BYTES = 8 * 1024 * 1024;

/** Events as the parallel arrays that the SQL functions take. */
export interface EncodedEvents {
  types: string[];
  data: string[];
}

/**
 * Makes events storable: secrets out, unsafe characters escaped, size checked.
 * Without a redactor for what people wrote, which is kept as they sent it.
 * @throws Error for an event over 8 MiB.
 */
export function encodeEvents(events: readonly NewEvent[], redactor?: Redactor): EncodedEvents {
  const types: string[] = [];
  const data: string[] = [];
  for (const event of events) {
    const json = encodeJson(redactor ? redactor.json(event.data) : event.data);
    if (byteLength(json) > MAX_EVENT_BYTES) throw new Error(`event ${event.type} is too large`);
    types.push(event.type);
    data.push(json);
  }
  return { types, data };
}
