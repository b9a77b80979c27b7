import { decode, encode } from "next-auth/jwt";
import { publicUrl } from "../platform/env";
import { platform } from "../platform/platform";
import { SESSION_SECONDS } from "./user-session";

const COOKIE = "next-auth.session-token";

/** Whether cookies are for https only. */
export const secureCookies = (): boolean => publicUrl(platform().env).startsWith("https:");

/** The name next-auth gives the session cookie. */
export const sessionCookieName = (): string => (secureCookies() ? `__Secure-${COOKIE}` : COOKIE);

function readCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/** The `sid` in the session cookie; `undefined` without one, or when it is not ours or too old. */
export async function sidFromCookie(cookieHeader: string): Promise<string | undefined> {
  const token = readCookie(cookieHeader, sessionCookieName());
  if (!token) return undefined;
  try {
    const claims = await decode({ token, secret: platform().env.BERTH_SECRET });
    return typeof claims?.sid === "string" ? claims.sid : undefined;
  } catch {
    // A cookie that cannot be decrypted is the same as none: whoever sent it is not signed in.
    return undefined;
  }
}

/** The cookie header of a session, as next-auth would set it. */
export async function sessionCookie(sid: string): Promise<string> {
  const token = await encode({
    token: { sid },
    secret: platform().env.BERTH_SECRET,
    maxAge: SESSION_SECONDS,
  });
  return `${sessionCookieName()}=${token}`;
}
