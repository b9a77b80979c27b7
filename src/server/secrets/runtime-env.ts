import { writeAudit } from "../platform/audit-row";
import { withSqlTransaction } from "../platform/transaction";
import { ctxForSystem } from "../tenancy";
import { type RuntimeEnv, type RuntimeEnvInput, readRuntimeEnv } from "./read-runtime-env";

/**
 * What a new agent process gets as environment. Each reading is a row in the audit log, so it is
 * for starting processes only; to redact, `runtimeRedactor`.
 * @throws AppError `not_found` when there is no such agent
 */
export const runtimeEnv = (input: RuntimeEnvInput): Promise<RuntimeEnv> =>
  withSqlTransaction(input.orgId, async (tx) => {
    const found = await readRuntimeEnv(tx, input);
    const names = Object.keys(found.env).sort();
    if (names.length > 0) {
      const ctx = ctxForSystem(input.orgId, "runtime");
      await writeAudit(tx.sql, ctx, "secret.read", { entityId: input.agentId, after: { names } });
    }
    return found;
  });
