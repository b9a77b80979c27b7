import type { DefaultSession } from "next-auth";

/** What our callbacks add to next-auth's own shapes. */
declare module "next-auth" {
  interface User {
    sid: string;
  }
  interface Session {
    user: DefaultSession["user"] & { id: string };
    sid: string;
  }
}

declare module "next-auth/jwt" {
  interface JWT {
    sid?: string;
  }
}
