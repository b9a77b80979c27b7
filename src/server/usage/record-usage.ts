import type { Usage } from "../../protocol/event";
import { platform } from "../platform/platform";
import { PRICE_VERSION, priceCall } from "./price-call";

/** One try of a model call. */
export interface UsageRecord {
  orgId: string;
  turnId: string;
  sessionId: string;
  agentId: string;
  attempt: number;
  /** The `task` call whose subagent asked; empty for the agent itself. */
  parentCallId: string;
  step: number;
  try: number;
  provider: string;
  modelId: string;
  usage: Usage;
}

/** Writes one ledger row. @returns its cost in US dollars, where the price is known. */
export async function recordUsage(record: UsageRecord): Promise<number | undefined> {
  const { usage } = record;
  const cost = priceCall(record.provider, record.modelId, usage);
  await platform().pool.query({
    name: "record_usage",
    text: `SELECT berth_record_usage($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
    values: [
      record.orgId,
      record.turnId,
      record.attempt,
      record.parentCallId,
      record.step,
      record.try,
      record.sessionId,
      record.agentId,
      record.modelId,
      record.provider,
      usage.inputTokens,
      usage.outputTokens,
      usage.cacheReadTokens,
      usage.cacheWriteTokens,
      cost === undefined ? null : cost.toFixed(9),
      cost === undefined ? null : PRICE_VERSION,
    ],
  });
  return cost;
}
