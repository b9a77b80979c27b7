import { z } from "zod";
import { actorKey, type Ctx } from "../platform/context";
import { AppError } from "../platform/errors";
import { byteLength } from "../platform/json-safety";
import type { Tx } from "../platform/transaction";
import { mutation } from "../platform/verb";
import { sealForOrg } from "./sealed-value";
import { isReservedSecretName, SecretName } from "./secret-name";
import { raiseRevision, scopeOf } from "./secret-scope";

const MAX_BYTES = 64 * 1024;
const MAX_AT_ONCE = 200;

const SecretValue = z
  .string()
  .min(1)
  .refine((value) => byteLength(value) <= MAX_BYTES, "is larger than 64 KiB")
  .refine((value) => value.isWellFormed() && !value.includes("\0"), "is not plain text");

const NewSecrets = z.object({
  /** Absent: the org's own secrets. */
  agentId: z.string().optional(),
  secrets: z
    .record(z.string(), SecretValue)
    .refine((secrets) => Object.keys(secrets).length > 0, "names no secret")
    .refine((secrets) => Object.keys(secrets).length <= MAX_AT_ONCE, "names too many secrets"),
});

/** What may be said about a secret after it was set. */
export interface SecretReceipt {
  name: string;
  version: number;
  /** UTF-8 bytes of the value. */
  length: number;
  fingerprint: string;
}

/**
 * Sets several secrets, all or none, each as its next version. Values cannot be read back.
 * @throws AppError `invalid_secret_name`, `invalid_request`, `not_found` for a foreign agent
 */
export const setSecrets = mutation({
  permission: "secrets:write",
  scope: "agent",
  input: NewSecrets,
  action: "secret.set",
  async run({ ctx, input, tx }) {
    const names = Object.keys(input.secrets);
    for (const name of names) requireName(name);
    await raiseRevision(tx, input.agentId);
    const scope = scopeOf(input.agentId);
    const receipts: SecretReceipt[] = [];
    for (const name of names.sort()) {
      receipts.push(await setOne(ctx, tx, { scope, name, value: input.secrets[name] ?? "" }));
    }
    return receipts;
  },
  audit: (receipts, { agentId }) => ({ entityId: scopeOf(agentId), after: receipts }),
});

function requireName(name: string): void {
  const parsed = SecretName.safeParse(name);
  if (parsed.success && !isReservedSecretName(name)) return;
  const why = parsed.error?.issues[0]?.message ?? "the platform sets this variable itself";
  throw new AppError("invalid_secret_name", `${name.slice(0, 130)} cannot name a secret: ${why}.`);
}

async function setOne(
  ctx: Ctx,
  tx: Tx,
  { scope, name, value }: { scope: string; name: string; value: string },
): Promise<SecretReceipt> {
  const latest = await tx.db.secret.findFirst({
    where: { scope, name },
    orderBy: { version: "desc" },
    select: { version: true },
  });
  const version = (latest?.version ?? 0) + 1;
  const { sealed, ...rest } = await sealForOrg(tx, { scope, name, version }, value);
  const row = { ...rest, scope, name, version, length: byteLength(value) };
  await tx.db.secret.create({
    data: {
      ...row,
      orgId: ctx.orgId,
      sealed: new Uint8Array(sealed),
      createdBy: actorKey(ctx.actor),
    },
  });
  return { name, version, length: row.length, fingerprint: row.fingerprint };
}
