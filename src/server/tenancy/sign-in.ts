import { z } from "zod";
import { limitRate } from "../limits";
import { AppError, invalidRequest } from "../platform/errors";
import { platform } from "../platform/platform";
import type { RequestOrigin, UserCaller } from "./caller";
import { Email } from "./email";
import { verifyPassword } from "./password";
import { openUserSession } from "./user-session";

const SignIn = z.object({ email: Email, password: z.string().min(1).max(1024) });

/**
 * Checks e-mail and password and opens a session. A wrong password, an unknown e-mail and a
 * disabled person get the same answer after the same work.
 * @throws AppError `invalid_credentials`, `rate_limited` (10 a minute per address and e-mail)
 */
export async function signIn(
  input: z.input<typeof SignIn>,
  origin: RequestOrigin & { userAgent: string | null },
): Promise<UserCaller> {
  const parsed = SignIn.safeParse(input);
  if (!parsed.success) throw invalidRequest(parsed.error);
  const { email, password } = parsed.data;
  await limitRate("signIn", `${origin.ip ?? "-"} ${email}`);
  const user = await platform().prisma.user.findUnique({ where: { email } });
  const matches = await verifyPassword(user?.passwordHash, password);
  if (!user || !matches || user.disabledAt) {
    throw new AppError("invalid_credentials", "The e-mail or the password is wrong.");
  }
  const sid = await openUserSession(user.id, origin);
  return { kind: "user", userId: user.id, email: user.email, name: user.name, sid };
}
