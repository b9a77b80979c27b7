import { publicUrl } from "../platform/env";
import { AppError } from "../platform/errors";
import { platform } from "../platform/platform";
import {
  authenticateBearer,
  authenticateUser,
  type Caller,
  isCsrfToken,
  unauthenticated,
} from "../tenancy";
import type { Surface } from "./error-answer";

const CSRF_HEADER = "x-berth-csrf";
const isRead = (method: string): boolean => method === "GET" || method === "HEAD";

/** The token of an `Authorization: Bearer` header. */
const bearerToken = (request: Request): string | undefined =>
  /^bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];

/**
 * Whether a page of this origin can have sent the request. Browsers name no site on plain HTTP away
 * from localhost; a read then rests on the token's header, which other origins cannot send.
 */
function isSameOrigin(request: Request): boolean {
  const origin = request.headers.get("origin");
  if (origin === null) {
    const site = request.headers.get("sec-fetch-site");
    return isRead(request.method) && (site === null || site === "same-origin");
  }
  const own = [new URL(request.url).origin, new URL(publicUrl(platform().env)).origin];
  return own.includes(origin);
}

const isProven = (request: Request, sid: string): boolean =>
  isSameOrigin(request) && isCsrfToken(sid, request.headers.get(CSRF_HEADER));

/** A read of the control API changes nothing, and another origin cannot see its answer. */
const isPlainRead = (request: Request, surface: Surface): boolean =>
  surface === "control" &&
  isRead(request.method) &&
  ["same-origin", "none", null].includes(request.headers.get("sec-fetch-site"));

async function fromCookie(request: Request, surface: Surface): Promise<Caller> {
  const user = await authenticateUser(request);
  if (!user) throw unauthenticated();
  if (isPlainRead(request, surface) || isProven(request, user.sid)) return user;
  if (surface === "control") {
    throw new AppError("csrf_failed", `Send the page's token in ${CSRF_HEADER}, from this origin.`);
  }
  throw unauthenticated();
}

/**
 * Who sends a request: a key as bearer, or a signed-in person whose browser proves that a page of
 * ours sent it. @throws AppError `unauthenticated`, `csrf_failed` (control API only).
 */
export async function authenticate(
  request: Request,
  { surface, cookies }: { surface: Surface; cookies: boolean },
): Promise<Caller> {
  const token = bearerToken(request);
  if (token !== undefined) return await authenticateBearer(token);
  if (!cookies || request.headers.has("authorization")) throw unauthenticated();
  return await fromCookie(request, surface);
}
