import type { NewEvent } from "../../protocol/event";
import { platform } from "../platform/platform";
import { encodeEvents } from "./encode-events";
import type { LogOwner } from "./log-owner";

export interface OwnedDeltas {
  owner: LogOwner;
  events: NewEvent[];
}

/** `locked`: somebody else holds the session's row just now, nothing was written, try again. */
export type DeltaOutcome = "written" | "fenced" | "locked";

/**
 * Appends the deltas of many turns in one statement; sessions whose row is locked are skipped.
 * The text was redacted on its way in, piece by piece, so it is not redacted again here.
 * @returns one outcome per entry, in order.
 */
export async function appendDeltas(batch: readonly OwnedDeltas[]): Promise<DeltaOutcome[]> {
  const owners: number[] = [];
  const places: number[] = [];
  const types: string[] = [];
  const data: string[] = [];
  batch.forEach(({ events }, i) => {
    const encoded = encodeEvents(events);
    encoded.types.forEach((type, place) => {
      owners.push(i + 1);
      places.push(place);
      types.push(type);
      data.push(encoded.data[place] ?? "null");
    });
  });
  const { pool, pubsub } = platform();
  const { rows } = await pool.query<{ owner: number; written: boolean }>({
    name: "append_deltas",
    text: "SELECT owner, written FROM berth_append_deltas($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    values: [
      batch.map(({ owner }) => owner.orgId),
      batch.map(({ owner }) => owner.sessionId),
      batch.map(({ owner }) => owner.epoch),
      batch.map(({ owner }) => owner.turnId),
      batch.map(({ events }) => events.length),
      owners,
      places,
      types,
      data,
    ],
  });
  const outcomes = batch.map((): DeltaOutcome => "locked");
  for (const row of rows) outcomes[row.owner - 1] = row.written ? "written" : "fenced";
  batch.forEach(({ owner }, i) => {
    if (outcomes[i] === "written") pubsub.publish("session", owner.sessionId);
  });
  return outcomes;
}
