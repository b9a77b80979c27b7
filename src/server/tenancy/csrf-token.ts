import { equalBytes, hmacSha256 } from "../platform/crypto";
import { platform } from "../platform/platform";

/** The token that a write with a session cookie must carry; the same for the whole session. */
export const csrfTokenFor = (sid: string): string =>
  hmacSha256(platform().env.BERTH_SECRET, `csrf:${sid}`).toString("base64url");

/** Whether a token belongs to the session; compared in constant time. */
export const isCsrfToken = (sid: string, token: string | null | undefined): boolean =>
  equalBytes(Buffer.from(csrfTokenFor(sid)), Buffer.from(token ?? ""));
