import type { UserCaller } from "./caller";
import { sidFromCookie } from "./session-cookie";
import { findUserSession } from "./user-session";

/**
 * The person signed in with a cookie: the token is decrypted, then its session row is read.
 * @param source the `Cookie` header, or a request that may carry one
 * @returns `undefined` when nobody is signed in
 */
export async function authenticateUser(
  source: string | null | undefined | Request,
): Promise<UserCaller | undefined> {
  const header = source instanceof Request ? source.headers.get("cookie") : source;
  const sid = header ? await sidFromCookie(header) : undefined;
  return sid ? findUserSession(sid) : undefined;
}
