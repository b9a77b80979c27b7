import type { CallSession } from "../protocol/runtime-rpc";
import { type Bundle, singleLoaderOf } from "./definitions";

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

async function textOf(source: unknown, session: CallSession): Promise<string> {
  const value =
    typeof source === "function" ? await source({ session: structuredClone(session) }) : source;
  const text = isObject(value) ? value.markdown : value;
  if (typeof text === "function") return textOf(text, session);
  if (typeof text !== "string") throw new Error("The instructions are not a text.");
  return text;
}

/** The instructions' text for one turn: from their own module, else from the agent's definition. */
export async function instructionsText(bundle: Bundle, session: CallSession): Promise<string> {
  const own = singleLoaderOf(bundle, "instructions");
  if (own) return textOf((await own()).default, session);
  const agent = (await singleLoaderOf(bundle, "agent")?.())?.default;
  return isObject(agent) ? textOf(agent.instructions ?? "", session) : "";
}
