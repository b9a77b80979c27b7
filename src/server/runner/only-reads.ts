import { askAgent } from "./approval-gate";
import type { StoredCall } from "./read-conversation";
import type { OfferedTool, Thread } from "./thread";

/** Whether a call changes nothing: as its tool declares, for this input where that is a function. */
export async function onlyReads(
  thread: Thread,
  call: StoredCall,
  tool: OfferedTool,
): Promise<boolean> {
  if (tool.effect !== "function") return tool.effect === "read";
  const answer = await askAgent(thread, call);
  return answer.outcome === "open" && answer.effect === "read";
}
