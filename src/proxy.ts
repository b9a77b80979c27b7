import { type NextRequest, NextResponse } from "next/server";

/**
 * Pages may run only the scripts that this answer names by its nonce, and talk only to this
 * origin. `style-src` allows inline styles because positioned menus and toasts set them.
 */
const policyFor = (nonce: string, dev: boolean): string =>
  [
    "default-src 'self'",
    // React's development build explains errors with eval; the product never needs it.
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${dev ? " 'unsafe-eval'" : ""}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${dev ? " ws:" : ""}`,
    "frame-ancestors 'none'",
    "form-action 'self'",
    "base-uri 'none'",
    "object-src 'none'",
  ].join("; ");

/** Gives every page its security headers; Next puts the nonce on the scripts it writes. */
export function proxy(request: NextRequest): NextResponse {
  const nonce = Buffer.from(crypto.randomUUID()).toString("base64");
  // biome-ignore lint/style/noProcessEnv: Next replaces it at build time; no setting is read here
  const policy = policyFor(nonce, process.env.NODE_ENV === "development");
  const headers = new Headers(request.headers);
  headers.set("content-security-policy", policy);
  // Layouts and pages cannot see their address; sign-in needs it to come back.
  headers.set("x-berth-path", `${request.nextUrl.pathname}${request.nextUrl.search}`);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("content-security-policy", policy);
  response.headers.set("referrer-policy", "same-origin");
  response.headers.set("x-content-type-options", "nosniff");
  response.headers.set("permissions-policy", "camera=(), geolocation=(), microphone=()");
  return response;
}

export const config = { matcher: ["/((?!_next/static|_next/image|icon.svg|api/).*)"] };
