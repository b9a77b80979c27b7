import { PrismaPg } from "@prisma/adapter-pg";
import type { Pool } from "pg";
import { Prisma, PrismaClient } from "../../generated/prisma/client";

export type { PrismaClient } from "../../generated/prisma/client";
export { Prisma } from "../../generated/prisma/client";

/** Models without an org. Everything else is a tenant's; `Org` itself is found by its own id. */
export const GLOBAL_MODELS: ReadonlySet<string> = new Set(["User", "UserSession", "Worker"]);

const FILTERED = new Set([
  "findUnique",
  "findUniqueOrThrow",
  "findFirst",
  "findFirstOrThrow",
  "findMany",
  "count",
  "aggregate",
  "groupBy",
  "delete",
  "deleteMany",
  "update",
  "updateMany",
  "updateManyAndReturn",
]);
const CREATED = new Set(["create", "createMany", "createManyAndReturn"]);
/** A Prisma client on the app's pool. One per process. */
export const createPrisma = (pool: Pool): PrismaClient =>
  new PrismaClient({ adapter: new PrismaPg(pool) });

interface OperationArgs {
  where?: Record<string, unknown>;
  data?: unknown;
  include?: unknown;
}

/** The first key of `data` that is no column, so a relation: a nested write. */
function nestedWrite(model: string, data: unknown): string | undefined {
  const columns = (Prisma as unknown as Record<string, Record<string, string>>)[
    `${model}ScalarFieldEnum`
  ];
  const rows = Array.isArray(data) ? data : [data ?? {}];
  return rows.flatMap((row: object) => Object.keys(row)).find((key) => !columns?.[key]);
}

const withOrg = (data: unknown, orgId: string): unknown =>
  Array.isArray(data)
    ? data.map((row: object) => ({ ...row, orgId }))
    : { ...(data as object), orgId };

/** The arguments of an operation, held to one org. @throws Error for what could reach past it. */
function scopeArgs(model: string, operation: string, args: OperationArgs, orgId: string): unknown {
  const nested = nestedWrite(model, args.data);
  if (nested) throw new Error(`tenant client: nested write ${model}.${nested} is refused`);
  if (GLOBAL_MODELS.has(model)) {
    if (args.include) throw new Error(`tenant client: include from ${model} is refused`);
    return args;
  }
  if (FILTERED.has(operation)) {
    const own = model === "Org" ? { id: orgId } : { orgId };
    return { ...args, where: { ...args.where, AND: [own, ...[args.where?.AND ?? []].flat()] } };
  }
  if (CREATED.has(operation) && model !== "Org") {
    return { ...args, data: withOrg(args.data, orgId) };
  }
  throw new Error(`tenant client: ${model}.${operation} is not allowed`);
}

/**
 * A client whose transactions can only see and make rows of one org: `orgId` is added to every
 * filter and every new row, and operations that could reach past it are refused.
 */
export const tenantClient = (client: PrismaClient, orgId: string) =>
  client.$extends({
    query: {
      $allModels: {
        $allOperations({ model, operation, args, query }) {
          const scoped = scopeArgs(model, operation, (args ?? {}) as OperationArgs, orgId);
          return (query as (args: unknown) => Promise<never>)(scoped);
        },
      },
    },
  });

type TenantClient = ReturnType<typeof tenantClient>;

/** The models of one org, inside a transaction. */
export type TenantDb = Parameters<Parameters<TenantClient["$transaction"]>[0]>[0];
