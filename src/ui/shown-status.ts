import type { Transcript, TurnItem } from "../protocol/transcript";

/** Calls of a turn that have begun and have no result, but for those whose own calls are what is open. */
function openStates({ blocks }: TurnItem): string[] {
  const open = blocks.filter(
    (block) => block.kind === "call" && (block.state === "running" || block.state === "waiting"),
  );
  const parents = new Set(open.map((block) => block.parentCallId));
  return open.flatMap((block) =>
    block.kind === "call" && !parents.has(block.callId) ? [block.state] : [],
  );
}

/** A session's status in one word: a turn whose every open call waits for a person is `parked`. */
export function shownStatus({ status, items }: Transcript): string {
  const turn = items.findLast((item) => item.kind === "turn" && item.status === "running");
  if (status !== "running" || turn?.kind !== "turn") return status;
  const open = openStates(turn);
  return open.length > 0 && open.every((state) => state === "waiting") ? "parked" : status;
}
