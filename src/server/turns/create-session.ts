import { z } from "zod";
import { actorKey } from "../platform/context";
import { AppError, notFound } from "../platform/errors";
import { newId } from "../platform/id";
import { encodeJson, encodeText } from "../platform/json-safety";
import { platform } from "../platform/platform";
import { sqlMutation } from "../platform/verb";
import { encodeEvents } from "../sessions";
import { notDeployed } from "./agent-not-deployed";
import { newContinuationKey } from "./continuation-token";
import { AsOf, requireFrozenInstant } from "./frozen-instant";
import {
  MessageText,
  Metadata,
  requireMessageSize,
  requireMetadataSize,
  Title,
} from "./session-limits";
import { wakeAfterCommit } from "./wake-after-commit";
import {
  checkWorkspaceFiles,
  filesColumn,
  keepWorkspaceFiles,
  WorkspaceFiles,
} from "./workspace-files";

const Input = z.object({
  agentId: z.string(),
  message: MessageText,
  title: Title.optional(),
  metadata: Metadata.default({}),
  channel: z.string().max(64).default("http"),
  mode: z.enum(["chat", "task"]).default("chat"),
  /** Writes are answered without being done. */
  dryRun: z.boolean().default(false),
  /** The instant the session is frozen at. */
  asOf: AsOf.optional(),
  /** Written into the workspace before the turn. */
  workspaceFiles: WorkspaceFiles.default([]),
});

export interface CreatedSession {
  sessionId: string;
  continuationToken: string;
  messageId: string;
  turnId: string;
}

/**
 * Opens a session of an agent with its first message and queues the turn.
 * @throws AppError `not_found`, `agent_not_deployed`, `body_too_large`, `invalid_request`,
 * `invalid_time_args`.
 */
export const createSession = sqlMutation({
  permission: "agents:invoke",
  scope: "agent",
  action: "session.create",
  input: Input,
  audit: null,
  async run({ ctx, input, tx }): Promise<CreatedSession> {
    requireMessageSize(input.message);
    requireMetadataSize(input.metadata);
    const { agentId, channel, mode, title, message, asOf } = input;
    if (asOf !== undefined) await requireFrozenInstant(tx, agentId, asOf);
    const files = checkWorkspaceFiles(input.workspaceFiles);
    const principal = actorKey(ctx.actor);
    const made: CreatedSession = {
      sessionId: newId("ses"),
      continuationToken: `${channel}:${newContinuationKey()}`,
      messageId: newId("msg"),
      turnId: newId("trn"),
    };
    const { types, data } = encodeEvents([
      { type: "session.started", data: { channel, mode, principal, ...(title ? { title } : {}) } },
      { type: "message.received", data: { messageId: made.messageId, text: message, principal } },
    ]);
    const rows = await tx.sql<{ outcome: string }>(CREATE, [
      ...[ctx.orgId, agentId, made.sessionId, channel, mode, principal],
      title === undefined ? null : encodeText(title),
      encodeJson(input.metadata),
      ...[input.dryRun, asOf ?? null, made.continuationToken, made.messageId, made.turnId],
      encodeText(message),
      ...[filesColumn(files), types, data, platform().env.BERTH_ORG_SHARE],
    ]);
    requireCreated(rows[0]?.outcome);
    await keepWorkspaceFiles(tx, made.sessionId, files);
    wakeAfterCommit(tx, [
      ["turn", made.turnId],
      ["session", made.sessionId],
    ]);
    return made;
  },
});

const CREATE = `SELECT berth_create_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
  $15, $16, $17, $18) AS outcome`;

function requireCreated(outcome: string | undefined): void {
  if (outcome === "created") return;
  if (outcome === "not_deployed") throw notDeployed();
  if (outcome === "not_found") throw notFound();
  throw new AppError("internal", "The session could not be created.");
}
