import { z } from "zod";
import { ToolManifest } from "../../protocol/manifest";
import { unknownTimeArgs } from "../../protocol/time-args";
import { AppError } from "../platform/errors";
import { now } from "../platform/platform";
import type { SqlTx } from "../platform/transaction";

/** Before it stands the year 0, which the database does not know. */
const FIRST_MS = Date.parse("0001-01-01T00:00:00Z");

/** An ISO 8601 instant with a timezone, at which a session is frozen. */
export const AsOf = z.iso
  .datetime({ offset: true })
  .refine((text) => Date.parse(text) >= FIRST_MS, "must not be before the year 1");

const Tools = z.array(ToolManifest);

/**
 * Checks the instant a new session is to be frozen at, and that the agent's tools can hold to it.
 * @throws AppError `invalid_request` for an instant to come; `invalid_time_args` where a tool of the
 * active version names a time argument that its input does not have
 */
export async function requireFrozenInstant(tx: SqlTx, agentId: string, asOf: string) {
  if (Date.parse(asOf) > now().getTime()) {
    const message = "asOf must not be in the future.";
    throw new AppError("invalid_request", message, {
      details: { issues: [{ path: "asOf", message }] },
    });
  }
  const [row] = await tx.sql<{ tools: unknown }>(
    `SELECT d.manifest -> 'tools' AS tools FROM agent a
     JOIN deployment d ON d.org_id = a.org_id AND d.agent_id = a.id AND d.version = a.active_version
     WHERE a.org_id = $1 AND a.id = $2`,
    [tx.orgId, agentId],
  );
  for (const tool of Tools.parse(row?.tools ?? [])) {
    const [argument] = unknownTimeArgs(tool);
    if (argument !== undefined) throw misnamed(tool.name, argument);
  }
}

const misnamed = (tool: string, argument: string): AppError =>
  new AppError(
    "invalid_time_args",
    `timeArgs of ${tool} name ${argument}, which its input schema does not have. Correct the tool.`,
    { details: { tool, argument } },
  );
