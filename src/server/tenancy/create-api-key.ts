import { z } from "zod";
import { Permission, ROLE_PERMISSIONS } from "../../protocol/permission";
import { actorKey, type Ctx } from "../platform/context";
import { AppError, notFound } from "../platform/errors";
import { newId } from "../platform/id";
import { now } from "../platform/platform";
import type { Tx } from "../platform/transaction";
import { mutation } from "../platform/verb";
import { newApiKeyToken } from "./api-key-token";
import { createServiceAccount, ServiceAccountName } from "./create-service-account";

const DAY_MS = 24 * 60 * 60 * 1000;
const DEFAULT_DAYS = 90;

export const NewApiKey = z.object({
  name: ServiceAccountName,
  /** Absent: what a developer may do, as far as the caller may. */
  permissions: z.array(Permission).min(1).optional(),
  /** Limits the key to one agent. */
  agentId: z.string().optional(),
  /** An existing service account; absent makes one with the key's name. */
  serviceAccountId: z.string().optional(),
  /** Days until it expires; `null` for never. */
  expiresInDays: z.number().int().min(1).max(3650).nullable().default(DEFAULT_DAYS),
});

/**
 * Makes an API key. Its token is in the answer and nowhere else.
 * @throws AppError `forbidden` for permissions the caller lacks, `not_found` for a foreign
 *   agent or service account
 */
export const createApiKey = mutation({
  permission: "keys:manage",
  scope: "org",
  input: NewApiKey,
  action: "key.create",
  async run({ ctx, input, tx }) {
    const permissions = grantable(ctx, input.permissions);
    await requireAgent(tx, input.agentId);
    const serviceAccountId = await accountFor(ctx, tx, input);
    const id = newId("key");
    const { token, hash } = newApiKeyToken(id);
    const { expiresInDays: days } = input;
    const expiresAt = days === null ? null : new Date(now().getTime() + days * DAY_MS);
    const key = { id, name: input.name, serviceAccountId, permissions, expiresAt };
    const agentId = input.agentId ?? null;
    await tx.db.apiKey.create({
      data: {
        ...key,
        orgId: ctx.orgId,
        hash: new Uint8Array(hash),
        agentId,
        createdBy: actorKey(ctx.actor),
      },
    });
    return { ...key, agentId, token };
  },
  audit: ({ token: _shownOnce, ...key }) => ({ entityId: key.id, after: key }),
});

function grantable(ctx: Ctx, asked: Permission[] | undefined): Permission[] {
  if (!asked) return [...ROLE_PERMISSIONS.developer].filter((name) => ctx.permissions.has(name));
  const missing = asked.filter((name) => !ctx.permissions.has(name));
  if (missing.length === 0) return [...new Set(asked)];
  throw new AppError("forbidden", `You cannot give what you lack: ${missing.join(", ")}.`);
}

async function requireAgent(tx: Tx, agentId: string | undefined): Promise<void> {
  if (agentId === undefined) return;
  if ((await tx.db.agent.count({ where: { id: agentId } })) === 0) throw notFound();
}

async function accountFor(ctx: Ctx, tx: Tx, input: z.output<typeof NewApiKey>): Promise<string> {
  const id = input.serviceAccountId;
  if (id === undefined) return (await createServiceAccount(ctx, { name: input.name })).id;
  if ((await tx.db.serviceAccount.count({ where: { id } })) === 0) throw notFound();
  return id;
}
