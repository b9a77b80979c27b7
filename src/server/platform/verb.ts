import type { z } from "zod";
import type { Permission } from "../../protocol/permission";
import { type AuditNote, writeAudit } from "./audit-row";
import type { Ctx } from "./context";
import { AppError, invalidRequest, notFound } from "./errors";
import { type SqlTx, type Tx, withSqlTransaction, withTransaction } from "./transaction";

interface VerbSpec<Schema extends z.ZodType> {
  permission: Permission;
  /**
   * `agent`: about one agent, whose id is `input.agentId`; a credential for another agent sees
   * nothing there. `org`: about the whole org; a credential for one agent may not.
   */
  scope: "org" | "agent";
  input: Schema;
}

interface Run<Schema extends z.ZodType, Transaction, Result> {
  run(args: { ctx: Ctx; input: z.output<Schema>; tx: Transaction }): Promise<Result>;
}

type QuerySpec<S extends z.ZodType, T, R> = VerbSpec<S> & Run<S, T, R>;

interface MutationSpec<S extends z.ZodType, T, R> extends VerbSpec<S>, Run<S, T, R> {
  /** Name in the audit log: `<entity>.<verb>`. */
  action: `${string}.${string}`;
  /** What the audit row says; `null` where the session log is the record (SPEC 17). */
  audit: ((result: R, input: z.output<S>) => AuditNote) | null;
  /**
   * Set where the operation only begins what its caller does then: when its request is repeated, it
   * runs again, and the caller decides what to make of that.
   */
  begins?: true;
}

export type Verb<S extends z.ZodType, R> = (ctx: Ctx, input: z.input<S>) => Promise<R>;

/** An operation that only reads: permission, parse, transaction of the org, run. */
export const query = <S extends z.ZodType, R>(spec: QuerySpec<S, Tx, R>): Verb<S, R> =>
  verb(spec, (ctx, input) => inTransaction(ctx, (tx) => spec.run({ ctx, input, tx })));

/**
 * An operation that writes: as `query`, and its audit row in the same transaction. When a request with
 * an `Idempotency-Key` is repeated, its result is what it was, and it does not run again.
 */
export const mutation = <S extends z.ZodType, R>(spec: MutationSpec<S, Tx, R>): Verb<S, R> =>
  verb(spec, (ctx, input) =>
    onceIn(ctx, spec, () =>
      inTransaction(ctx, async (tx) => {
        // What it calls is part of it, and repeated with it.
        const inner = { ...ctx, tx, once: undefined };
        return await written(tx, ctx, spec, input, await spec.run({ ctx: inner, input, tx }));
      }),
    ),
  );

/** `query` on the raw driver, for the hot reads. */
export const sqlQuery = <S extends z.ZodType, R>(spec: QuerySpec<S, SqlTx, R>): Verb<S, R> =>
  verb(spec, (ctx, input) => withSqlTransaction(ctx.orgId, (tx) => spec.run({ ctx, input, tx })));

/** `mutation` on the raw driver, for the hot writes of the session log. */
export const sqlMutation = <S extends z.ZodType, R>(spec: MutationSpec<S, SqlTx, R>): Verb<S, R> =>
  verb(spec, (ctx, input) =>
    onceIn(ctx, spec, () =>
      withSqlTransaction(ctx.orgId, async (tx) =>
        written(tx, ctx, spec, input, await spec.run({ ctx, input, tx })),
      ),
    ),
  );

type Written<S extends z.ZodType, R> = Pick<
  MutationSpec<S, SqlTx, R>,
  "action" | "audit" | "begins"
>;

/** What the operation led to when its request ran before; else runs it. */
async function onceIn<R>(
  { once }: Ctx,
  { action, begins }: { action: string; begins?: true },
  run: () => Promise<R>,
): Promise<R> {
  const before = begins ? undefined : once?.recall(action);
  return before ? (before.result as R) : await run();
}

/** Writes what commits with an operation: its audit row, and the result under the request's key. */
async function written<S extends z.ZodType, R>(
  { sql }: SqlTx,
  ctx: Ctx,
  { action, audit }: Written<S, R>,
  input: z.output<S>,
  result: R,
): Promise<R> {
  if (audit) await writeAudit(sql, ctx, action, audit(result, input));
  await ctx.once?.remember(sql, action, result);
  return result;
}

const inTransaction = <R>(ctx: Ctx, run: (tx: Tx) => Promise<R>): Promise<R> =>
  ctx.tx ? run(ctx.tx) : withTransaction(ctx.orgId, run);

function verb<S extends z.ZodType, R>(
  spec: VerbSpec<S>,
  run: (ctx: Ctx, input: z.output<S>) => Promise<R>,
): Verb<S, R> {
  return async (ctx, rawInput) => {
    requirePermission(ctx, spec.permission);
    if (spec.scope === "org") requireWholeOrg(ctx);
    const parsed = spec.input.safeParse(rawInput);
    if (!parsed.success) throw invalidRequest(parsed.error);
    if (spec.scope === "agent") requireAgent(ctx, parsed.data);
    return await run(ctx, parsed.data);
  };
}

/** @throws AppError `forbidden` that names the missing permission. */
export function requirePermission(ctx: Ctx, permission: Permission): void {
  if (ctx.permissions.has(permission)) return;
  throw new AppError("forbidden", `This needs the permission ${permission}.`, {
    details: { permission },
  });
}

function requireWholeOrg(ctx: Ctx): void {
  if (ctx.onlyAgentId === undefined) return;
  throw new AppError("forbidden", "This API key is for one agent only; use a key for the org.");
}

function requireAgent(ctx: Ctx, input: unknown): void {
  const { agentId } = input as { agentId: string };
  if (ctx.onlyAgentId !== undefined && ctx.onlyAgentId !== agentId) throw notFound();
}
