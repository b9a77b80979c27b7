import { notFound } from "../platform/errors";
import type { RequestOrigin, UserCaller } from "./caller";
import { closeUserSession } from "./user-session";

/** Signs a person out of one of their sessions. @throws AppError `not_found` for any other */
export async function revokeMySession(
  caller: UserCaller,
  sid: string,
  origin: RequestOrigin,
): Promise<void> {
  if (!(await closeUserSession(sid, caller.userId, origin))) throw notFound();
}
