import type { EventType, SessionEvent } from "./event";
import { EMPTY_TRANSCRIPT, type Transcript } from "./transcript";
import { TRANSCRIPT_HANDLERS } from "./transcript-handlers";

type Handler = (transcript: Transcript, event: SessionEvent) => Transcript;

/**
 * The transcript after one more event. The same function serves live streams and replay;
 * an event that was applied before changes nothing, so a reader may always ask again.
 */
export function applyEvent(transcript: Transcript, event: SessionEvent): Transcript {
  if (event.index < transcript.nextIndex) return transcript;
  const handler = TRANSCRIPT_HANDLERS[event.type as EventType] as Handler | undefined;
  const next = handler ? handler(transcript, event) : transcript;
  return { ...next, nextIndex: event.index + 1 };
}

/** The transcript of a log, or of its next part when `from` is given. */
export const readTranscript = (
  events: Iterable<SessionEvent>,
  from: Transcript = EMPTY_TRANSCRIPT,
): Transcript => {
  let transcript = from;
  for (const event of events) transcript = applyEvent(transcript, event);
  return transcript;
};
