import type { CallScope } from "../../protocol/runtime-rpc";
import type { StoredCall } from "./read-conversation";
import type { TurnContext } from "./turn-context";

/** What the agent's process is told about a call of a turn. */
export const callScope = ({ session, claim }: TurnContext, { callId }: StoredCall): CallScope => ({
  toolCallId: callId,
  session,
  workspace: claim.sessionId,
});
