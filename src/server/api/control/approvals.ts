import { z } from "zod";
import {
  decideApproval,
  decideOrgApproval,
  listApprovals,
  listOrgApprovals,
} from "../../approvals";
import { Approval, DecidedAnswer, DecisionBody, toDecided } from "../approval-answers";
import { route } from "../route";
import { listOf } from "./list-of";

const OF_ORG = "/api/v1/orgs/{org}/approvals";
const OF_AGENT = "/api/v1/orgs/{org}/agents/{agent}/approvals";
const tag = "approvals";

const query = z.object({
  status: z.enum(["pending", "resolved"]).optional(),
  sessionId: z.string().max(64).optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
  cursor: z.string().max(80).optional(),
});
const params = z.object({ callId: z.string().max(64) });
const page = {
  status: 200,
  description: "One page: what waits first, the newest first.",
  schema: listOf("approvals", Approval),
};
const decided = { status: 200, description: "The decision counts.", schema: DecidedAnswer };

export const controlApprovalRoutes = [
  route({
    method: "GET",
    path: OF_ORG,
    summary: "Calls of all agents that wait for a person, and what was decided",
    tag,
    auth: "org",
    query,
    answer: page,
    handler: async ({ ctx, query }) => ({ ok: true, ...(await listOrgApprovals(ctx, query)) }),
  }),
  route({
    method: "POST",
    path: `${OF_ORG}/{callId}`,
    summary: "Approve or deny a call of any agent; the first decision counts",
    tag,
    auth: "org",
    params,
    body: DecisionBody,
    answer: decided,
    handler: async ({ ctx, params, body }) => ({
      ok: true,
      ...toDecided(await decideOrgApproval(ctx, { ...params, ...body })),
    }),
  }),
  route({
    method: "GET",
    path: OF_AGENT,
    summary: "Calls of an agent that wait for a person, and what was decided",
    tag,
    auth: "agent",
    query,
    answer: page,
    handler: async ({ ctx, agent, query }) => ({
      ok: true,
      ...(await listApprovals(ctx, { agentId: agent.id, ...query })),
    }),
  }),
  route({
    method: "POST",
    path: `${OF_AGENT}/{callId}`,
    summary: "Approve or deny a call of an agent; the first decision counts",
    tag,
    auth: "agent",
    params,
    body: DecisionBody,
    answer: decided,
    handler: async ({ ctx, agent, params, body }) => ({
      ok: true,
      ...toDecided(await decideApproval(ctx, { agentId: agent.id, ...params, ...body })),
    }),
  }),
];
