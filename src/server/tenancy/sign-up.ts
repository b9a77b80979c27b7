import type { z } from "zod";
import { limitRate } from "../limits";
import { AppError, invalidRequest } from "../platform/errors";
import { platform } from "../platform/platform";
import type { RequestOrigin } from "./caller";
import { createUser, NewUser } from "./create-user";

/**
 * Makes an account for whoever asks, where the installation lets strangers in.
 * @throws AppError `signup_closed`, `already_exists`, `invalid_request`, `rate_limited`
 */
export async function signUp(
  input: z.input<typeof NewUser>,
  origin: RequestOrigin,
): Promise<{ userId: string }> {
  if (platform().env.BERTH_SIGNUP !== "open") {
    throw new AppError("signup_closed", "Ask a member of your team to invite you.");
  }
  const parsed = NewUser.safeParse(input);
  if (!parsed.success) throw invalidRequest(parsed.error);
  await limitRate("signIn", `${origin.ip ?? "-"} sign-up`);
  return createUser(parsed.data);
}
