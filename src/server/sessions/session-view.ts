import { z } from "zod";
import { decodeText, decodeValue } from "../platform/json-safety";
import type { SessionStatus } from "./read-events";

/** A session as its owner and the dashboard see it. */
export interface SessionView {
  id: string;
  agentId: string;
  channel: string;
  mode: "chat" | "task";
  principal: string;
  title: string | null;
  status: SessionStatus;
  metadata: unknown;
  dryRun: boolean;
  /** The instant at which the session's clock stands; null where it runs. */
  asOf: string | null;
  /** Index of the last event; -1 for an empty log. */
  lastIndex: number;
  continuationToken: string;
  usage: {
    inputTokens: number;
    outputTokens: number;
    cacheReadTokens: number;
    cacheWriteTokens: number;
  };
  costUsd: number | null;
  pendingApprovals: string[];
  createdAt: string;
  updatedAt: string;
}

export interface SessionRow {
  id: string;
  agent_id: string;
  channel: string;
  mode: "chat" | "task";
  principal: string;
  title: string | null;
  status: SessionStatus;
  metadata: unknown;
  dry_run: boolean;
  as_of: Date | null;
  next_index: number;
  continuation_token: string;
  input_tokens: string;
  output_tokens: string;
  cache_read_tokens: string;
  cache_write_tokens: string;
  cost_usd: string | null;
  pending_approvals: string[];
  created_at: Date;
  updated_at: Date;
}

export const SESSION_COLUMNS = `id, agent_id, channel, mode, principal, title, status, metadata,
  dry_run, as_of, next_index, continuation_token, input_tokens, output_tokens, cache_read_tokens,
  cache_write_tokens, cost_usd, created_at, updated_at,
  ARRAY(SELECT a.call_id FROM approval a
        WHERE a.org_id = session.org_id AND a.session_id = session.id AND a.decision = 'pending'
        ORDER BY a.call_id) AS pending_approvals`;

export const SessionId = z.string().max(64);

export const toSessionView = (row: SessionRow): SessionView => ({
  id: row.id,
  agentId: row.agent_id,
  channel: row.channel,
  mode: row.mode,
  principal: row.principal,
  title: row.title === null ? null : decodeText(row.title),
  status: row.status,
  metadata: decodeValue(row.metadata),
  dryRun: row.dry_run,
  asOf: row.as_of?.toISOString() ?? null,
  lastIndex: row.next_index - 1,
  continuationToken: row.continuation_token,
  usage: {
    inputTokens: Number(row.input_tokens),
    outputTokens: Number(row.output_tokens),
    cacheReadTokens: Number(row.cache_read_tokens),
    cacheWriteTokens: Number(row.cache_write_tokens),
  },
  costUsd: row.cost_usd === null ? null : Number(row.cost_usd),
  pendingApprovals: row.pending_approvals,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});
