import type { GuestError } from "../protocol/runtime-rpc";

const MAX_MESSAGE = 8_192;
const MAX_STACK = 16_384;

const stringOr = (value: unknown, other: string): string =>
  typeof value === "string" ? value : other;

/** Whatever tenant code threw, as plain bounded text. Never throws. */
export function guestError(thrown: unknown): GuestError {
  try {
    if (typeof thrown !== "object" || thrown === null) {
      return { name: "Error", message: String(thrown).slice(0, MAX_MESSAGE) };
    }
    const { name, message, code, stack } = thrown as Record<string, unknown>;
    return {
      name: stringOr(name, "Error").slice(0, 200),
      message: stringOr(message, "an object that is not an Error was thrown").slice(0, MAX_MESSAGE),
      ...(typeof code === "string" ? { code: code.slice(0, 200) } : {}),
      ...(typeof stack === "string" ? { stack: stack.slice(0, MAX_STACK) } : {}),
    };
  } catch {
    return { name: "Error", message: "something that cannot be described was thrown" };
  }
}
