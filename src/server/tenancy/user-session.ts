import { randomBase62 } from "../platform/crypto";
import { now, platform } from "../platform/platform";
import type { RequestOrigin, UserCaller } from "./caller";

/** How long a sign-in lasts. */
export const SESSION_SECONDS = 30 * 24 * 60 * 60;
const TOUCH_EVERY_MS = 60_000;

interface SessionRow {
  user_id: string;
  email: string;
  name: string;
  last_seen_at: Date;
}

/** Makes the row behind a sign-in, with its audit rows. @returns the `sid` */
export async function openUserSession(
  userId: string,
  origin: RequestOrigin & { userAgent: string | null },
): Promise<string> {
  const sid = randomBase62(32);
  const at = now();
  await platform().pool.query(
    `WITH opened AS (
       INSERT INTO user_session (id, user_id, created_at, last_seen_at, expires_at, ip, user_agent)
       VALUES ($1, $2, $3, $3, $4, $5, $6) RETURNING id)
     SELECT berth_audit_person($2, 'user.sign-in', $2, $7, $5, $8) FROM opened`,
    [
      sid,
      userId,
      at,
      new Date(at.getTime() + SESSION_SECONDS * 1000),
      origin.ip,
      origin.userAgent?.slice(0, 400) ?? null,
      origin.via,
      origin.requestId,
    ],
  );
  return sid;
}

/** The person behind a live session; `undefined` when it is revoked, expired or the person disabled. */
export async function findUserSession(sid: string): Promise<UserCaller | undefined> {
  const at = now();
  const { rows } = await platform().pool.query<SessionRow>({
    name: "user_session",
    text: `SELECT s.user_id, u.email, u.name, s.last_seen_at
           FROM user_session s JOIN "user" u ON u.id = s.user_id
           WHERE s.id = $1 AND s.revoked_at IS NULL AND s.expires_at > $2 AND u.disabled_at IS NULL`,
    values: [sid, at],
  });
  const row = rows[0];
  if (!row) return undefined;
  if (at.getTime() - row.last_seen_at.getTime() > TOUCH_EVERY_MS) {
    await platform().pool.query("UPDATE user_session SET last_seen_at = $2 WHERE id = $1", [
      sid,
      at,
    ]);
  }
  return { kind: "user", userId: row.user_id, email: row.email, name: row.name, sid };
}

/** Ends a session of a person. @returns whether there was one to end */
export async function closeUserSession(
  sid: string,
  userId: string,
  origin: RequestOrigin,
): Promise<boolean> {
  const { rowCount } = await platform().pool.query(
    `WITH closed AS (
       UPDATE user_session SET revoked_at = $3
       WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL RETURNING id)
     SELECT berth_audit_person($2, 'user.sign-out', $2, $4, $5, $6) FROM closed`,
    [sid, userId, now(), origin.via, origin.ip, origin.requestId],
  );
  return (rowCount ?? 0) > 0;
}
