import type { JsonValue } from "../protocol/json";
import type { GateOutcome } from "../protocol/runtime-rpc";
import type { Bundle } from "./definitions";
import { guestError } from "./guest-error";
import { type AskedCall, prepareCall } from "./prepare-call";
import { toJson } from "./to-json";

function inOrder(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const members = Object.entries(value).map(([key, member]) => [key, inOrder(member)] as const);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The validated input as JSON; as it was sent where the schema made something else of it. */
function stableInput(validated: unknown, sent: unknown): JsonValue {
  try {
    return inOrder(toJson(validated, "input"));
  } catch {
    return inOrder(toJson(sent, "input"));
  }
}

/** What a tool call would be, without running it. An error of the tool's module refuses the call. */
export async function gateTool(bundle: Bundle, call: AskedCall): Promise<GateOutcome> {
  try {
    const prepared = await prepareCall(bundle, call);
    if (!prepared.ready) return prepared.outcome;
    const { effect, needsApproval, input } = prepared;
    return { outcome: "open", effect, needsApproval, input: stableInput(input, call.input) };
  } catch (thrown) {
    return { outcome: "refused", message: guestError(thrown).message };
  }
}
