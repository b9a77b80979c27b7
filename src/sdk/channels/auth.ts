import type { Awaitable } from "../json";

/** Who a channel says a request comes from; it becomes `channel:<channelId>:<id>`. */
export interface ChannelPrincipal {
  id: string;
  label?: string;
}

type CustomAuth = (request: Request) => Awaitable<ChannelPrincipal | null>;

/** One way to let a request in; the first of a channel's list that accepts wins. */
export type Auth =
  | { readonly kind: "bearer"; readonly token: string }
  | { readonly kind: "local-dev" }
  | { readonly kind: "allow-all" }
  | CustomAuth;

/** Accepts requests that carry the token; an empty token never accepts. */
export const bearerAuth = (token: string): Auth => ({ kind: "bearer", token });

/** Accepts a signed-in member, on a dev agent only. */
export const localDevStrict = (): Auth => ({ kind: "local-dev" });

/** Accepts everybody as an anonymous principal. */
export const allowAll = (): Auth => ({ kind: "allow-all" });
