import { z } from "zod";
import type { ApprovalView, Decided } from "../approvals";

export const DecisionBody = z.object({
  decision: z.enum(["approve", "deny"]),
  reason: z.string().max(2_000).optional().describe("At most 2,000 characters; the model sees it."),
});

export const DecidedAnswer = z.object({
  ok: z.literal(true),
  callId: z.string(),
  decision: z.enum(["approve", "deny"]),
  sessionId: z.string(),
  toolName: z.string(),
});

export const Approval = z
  .object({
    callId: z.string(),
    sessionId: z.string(),
    turnId: z.string(),
    agent: z.string().describe("The agent's slug."),
    version: z.int(),
    toolName: z.string(),
    input: z.unknown(),
    decision: z.enum(["pending", "approve", "deny"]),
    by: z.string().nullable(),
    reason: z.string().nullable(),
    principal: z.string().describe("Whose message led to the call."),
    mayDecide: z.boolean().describe("Whether the caller may decide now."),
    requestedAt: z.string(),
    expiresAt: z.string(),
    decidedAt: z.string().nullable(),
  })
  .meta({ id: "Approval" }) satisfies z.ZodType<ApprovalView>;

export const toDecided = ({ agentId: _agentId, ...rest }: Decided) => rest;
