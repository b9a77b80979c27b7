import { now, platform } from "../platform/platform";
import type { UserCaller } from "./caller";

/** Where a person is signed in, latest use first; `current` marks the asking session. */
export async function listMySessions(caller: UserCaller) {
  const rows = await platform().prisma.userSession.findMany({
    where: { userId: caller.userId, revokedAt: null, expiresAt: { gt: now() } },
    orderBy: { lastSeenAt: "desc" },
    omit: { userId: true, revokedAt: true },
  });
  return rows.map((row) => ({ ...row, current: row.id === caller.sid }));
}
