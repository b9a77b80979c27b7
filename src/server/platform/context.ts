import type { Permission } from "../../protocol/permission";
import { type Principal, principalKey } from "../../protocol/principal";
import type { Sql, Tx } from "./transaction";

/** Through which door a request came; part of every audit row. */
export type Via = "ui" | "cli" | "api" | "mcp" | "channel" | "worker" | "seed";

/** A request's principal, or the platform itself doing a named job. */
export type Actor = Principal | { kind: "system"; id: string; label?: string | undefined };

/** The operations of a request that happens once: what each led to commits with it. */
export interface OnceLog {
  /** What an operation led to when the request ran before without being answered. */
  recall(action: string): { result: unknown } | undefined;
  /**
   * Notes what an operation led to, in its transaction.
   * @throws AppError `idempotency_in_progress` where another process runs the request by now.
   */
  remember(sql: Sql, action: string, result: unknown): Promise<void>;
}

/** Everything a verb knows about its caller. Made by a surface, never from request bodies. */
export interface Ctx {
  readonly orgId: string;
  readonly actor: Actor;
  readonly permissions: ReadonlySet<Permission>;
  /** Set when the credential is for one agent only. */
  readonly onlyAgentId?: string | undefined;
  readonly via: Via;
  readonly ip: string | null;
  readonly requestId: string;
  /** The transaction to join, when a verb calls another verb. */
  readonly tx?: Tx | undefined;
  /** Set where the request carries an `Idempotency-Key`. */
  readonly once?: OnceLog | undefined;
}

/** The stable text form of who acts, as in sessions and audit rows. */
export const actorKey = (actor: Actor): string =>
  actor.kind === "system" ? `system:${actor.id}` : principalKey(actor);
