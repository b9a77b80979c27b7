import type { NewEvent } from "../../protocol/event";

/** Keeps one stored delta well below the size of a page of the log. */
const MAX_DELTA_CHARS = 64 * 1024;

/** Adds a delta to a buffer, joining it with the last one of the same block. */
export function mergeDeltas(buffer: NewEvent[], next: NewEvent): void {
  const last = buffer.at(-1);
  const joined = last && join(last, next);
  if (joined) buffer[buffer.length - 1] = joined;
  else buffer.push(next);
}

function join(last: NewEvent, next: NewEvent): NewEvent | undefined {
  const delta = (a: string, b: string) =>
    a.length + b.length <= MAX_DELTA_CHARS ? a + b : undefined;
  if (last.type === "message.appended" && next.type === "message.appended") {
    const text = sameBlock(last.data, next.data) && delta(last.data.delta, next.data.delta);
    return text ? { ...last, data: { ...last.data, delta: text } } : undefined;
  }
  if (last.type === "reasoning.appended" && next.type === "reasoning.appended") {
    const text = sameBlock(last.data, next.data) && delta(last.data.delta, next.data.delta);
    return text ? { ...last, data: { ...last.data, delta: text } } : undefined;
  }
  return undefined;
}

interface Block {
  step: number;
  blockId: string;
  parentCallId?: string | undefined;
}

const sameBlock = (a: Block, b: Block): boolean =>
  a.step === b.step && a.blockId === b.blockId && a.parentCallId === b.parentCallId;
