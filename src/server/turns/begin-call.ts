import { z } from "zod";
import { actorKey } from "../platform/context";
import { AppError } from "../platform/errors";
import { newId } from "../platform/id";
import { byteLength, encodeJson } from "../platform/json-safety";
import { sqlMutation } from "../platform/verb";
import { encodeEvents } from "../sessions";
import { LEASE } from "./claim-turns";
import { sessionOutcomeError } from "./session-outcome";
import { wakeAfterCommit } from "./wake-after-commit";

const Input = z.object({
  agentId: z.string(),
  sessionId: z.string().max(64),
  callId: z.string(),
  toolName: z.string(),
  input: z.json(),
  version: z.int(),
  approved: z.boolean(),
});

/** A session that a direct call holds until `endCall`, or until its lease ends. */
export interface HeldSession {
  orgId: string;
  sessionId: string;
  turnId: string;
  epoch: number;
  /** Who renews the lease. */
  holder: string;
}

interface Outcome {
  outcome: string;
  epoch: number | null;
}

/** Largest input in bytes that a session's log takes. */
export const MAX_CALL_INPUT_BYTES = 4 * 1024 * 1024;

/**
 * Takes an idle session of the caller for a direct call, in one statement with its
 * `actions.requested` and the audit row. Until it ends no turn of the session starts.
 * @throws AppError `session_busy`, `not_found`, `forbidden`, `body_too_large`.
 */
export const beginCall = sqlMutation({
  permission: "tools:call",
  scope: "agent",
  action: "tool.call",
  begins: true,
  input: Input,
  async run({ ctx, input, tx }): Promise<HeldSession> {
    const { sessionId, callId, toolName, version } = input;
    requireCallInputSize(input.input);
    const held = { orgId: ctx.orgId, sessionId, turnId: newId("trn"), holder: callId };
    const requested = encodeEvents([
      {
        type: "actions.requested",
        data: { calls: [{ callId, toolName, input: input.input }] },
      },
    ]);
    const rows = await tx.sql<Outcome>(
      "SELECT * FROM berth_begin_call($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
      [
        ctx.orgId,
        input.agentId,
        sessionId,
        actorKey(ctx.actor),
        held.turnId,
        held.holder,
        version,
        LEASE,
        requested.types,
        requested.data,
      ],
    );
    const { outcome, epoch } = rows[0] ?? { outcome: "lost", epoch: null };
    if (outcome === "busy") throw sessionBusy();
    if (outcome !== "held" || epoch === null) throw sessionOutcomeError(outcome);
    wakeAfterCommit(tx, [["session", sessionId]]);
    return { ...held, epoch };
  },
  audit: (_held, { agentId, sessionId, callId, toolName, version, approved }) => ({
    entityId: agentId,
    after: { callId, toolName, version, approved, sessionId },
  }),
});

const sessionBusy = (): AppError =>
  new AppError(
    "session_busy",
    "The session is at work. Call again when its turn is over; only reads run beside a turn.",
  );

/** @throws AppError `body_too_large` for an input that the log of a session does not take. */
export function requireCallInputSize(input: unknown): void {
  if (byteLength(encodeJson(input)) <= MAX_CALL_INPUT_BYTES) return;
  throw new AppError(
    "body_too_large",
    `The input of a call in a session may hold at most ${MAX_CALL_INPUT_BYTES} bytes.`,
  );
}
