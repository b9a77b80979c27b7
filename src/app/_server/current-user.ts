import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import { authenticateUser, type UserCaller } from "../../server/tenancy";

/** The person who is signed in, looked up once per request. */
export const currentUser = cache(
  async (): Promise<UserCaller | undefined> => authenticateUser((await headers()).get("cookie")),
);

/** The person who is signed in; anybody else goes to the sign-in page and comes back after it. */
export async function requireUser(): Promise<UserCaller> {
  const user = await currentUser();
  if (user) return user;
  const path = (await headers()).get("x-berth-path") ?? "/";
  redirect(`/login?next=${encodeURIComponent(path)}`);
}
