import type { Permission } from "../../protocol/permission";
import type { Via } from "../platform/context";

/** A signed-in person; `sid` names the session row that can be revoked. */
export interface UserCaller {
  readonly kind: "user";
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly sid: string;
}

/** A service account, through one of its API keys. */
export interface KeyCaller {
  readonly kind: "key";
  readonly keyId: string;
  readonly orgId: string;
  readonly serviceAccountId: string;
  readonly serviceAccountName: string;
  readonly permissions: ReadonlySet<Permission>;
  /** Set when the key is for one agent only. */
  readonly onlyAgentId?: string | undefined;
}

/** Whoever presented a valid credential. */
export type Caller = UserCaller | KeyCaller;

/** Where a request came from; the surface knows it, the request's body never says it. */
export interface RequestOrigin {
  readonly via: Via;
  readonly ip: string | null;
  readonly requestId: string;
}
