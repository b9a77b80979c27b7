import type { AuthOptions } from "next-auth";
import type { CredentialsConfig } from "next-auth/providers/credentials";
import { CLIENT_ADDRESS_HEADER } from "../limits";
import { AppError } from "../platform/errors";
import { newUuid } from "../platform/id";
import { platform } from "../platform/platform";
import type { RequestOrigin } from "./caller";
import { secureCookies } from "./session-cookie";
import { signIn } from "./sign-in";
import { closeUserSession, findUserSession, SESSION_SECONDS } from "./user-session";

/**
 * next-auth's settings: e-mail and password, a JWT that names our session row, and that row
 * checked each time the token is used. Refused sign-ins carry the error's code to the page.
 */
export const authOptions = (): AuthOptions => ({
  secret: platform().env.BERTH_SECRET,
  session: { strategy: "jwt", maxAge: SESSION_SECONDS },
  useSecureCookies: secureCookies(),
  pages: { signIn: "/login", error: "/login" },
  providers: [passwordProvider()],
  callbacks: {
    jwt: async ({ token, user }) => {
      if (user) return { sub: user.id, sid: user.sid };
      if (!token.sid || !(await findUserSession(token.sid))) throw new SessionEnded();
      return token;
    },
    session: async ({ session, token }) => {
      const caller = token.sid ? await findUserSession(token.sid) : undefined;
      if (!caller) throw new SessionEnded();
      const user = { id: caller.userId, email: caller.email, name: caller.name, image: null };
      return { ...session, user, sid: caller.sid };
    },
  },
  events: {
    signOut: async ({ token }) => {
      if (token?.sid && token.sub) await closeUserSession(token.sid, token.sub, uiOrigin(null));
    },
  },
  logger: { error: logError, warn: (code) => platform().log.warn({ code }, "sign-in library") },
});

/** The session row is gone: next-auth answers with no session and clears the cookie. */
class SessionEnded extends Error {}

function logError(code: string, metadata: unknown): void {
  const cause = (metadata as { error?: unknown }).error ?? metadata;
  const ended = cause instanceof SessionEnded || code === "JWT_SESSION_ERROR";
  platform().log[ended ? "debug" : "error"]({ code, err: cause }, "sign-in library");
}

const passwordProvider = (): CredentialsConfig => ({
  id: "credentials",
  name: "E-mail and password",
  type: "credentials",
  credentials: { email: { type: "email" }, password: { type: "password" } },
  authorize: async (credentials, request) => {
    const headers = (request.headers ?? {}) as Record<string, string | undefined>;
    const origin = {
      ...uiOrigin(headers[CLIENT_ADDRESS_HEADER] ?? null),
      userAgent: headers["user-agent"] ?? null,
    };
    const caller = await signIn(
      { email: credentials?.email ?? "", password: credentials?.password ?? "" },
      origin,
    ).catch(toPageError);
    return { id: caller.userId, email: caller.email, name: caller.name, sid: caller.sid };
  },
});

const uiOrigin = (ip: string | null): RequestOrigin => ({ via: "ui", ip, requestId: newUuid() });

/** next-auth puts the message of an error into the page's address, so it is the code alone. */
function toPageError(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  const code = error.code === "rate_limited" ? error.code : "invalid_credentials";
  throw new Error(code, { cause: error });
}
