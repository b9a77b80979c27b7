import { AppError } from "../../server/platform/errors";
import { platform } from "../../server/platform/platform";
import type { Outcome } from "../../ui/outcome";

/** What an action's work came to, for its form: errors people can act on become their message. */
export async function toOutcome<Value>(work: Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { ok: true, value: await work };
  } catch (error) {
    if (error instanceof AppError) return { ok: false, message: error.message };
    platform().log.error({ err: error }, "an action of a page failed");
    return { ok: false, message: "Something failed on the server. Try again." };
  }
}
