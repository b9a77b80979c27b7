import { z } from "zod";
import { decideApproval } from "../../approvals";
import { DecidedAnswer, DecisionBody, toDecided } from "../approval-answers";
import { route } from "../route";

export const approvalRoutes = [
  route({
    method: "POST",
    path: "/{org}/{agent}/v1/session/{id}/approvals/{callId}",
    summary: "Approve or deny a call that waits for a person; the first decision counts",
    tag: "sessions",
    auth: "agent",
    params: z.object({ id: z.string().max(64), callId: z.string().max(64) }),
    body: DecisionBody,
    answer: { status: 200, description: "The decision counts.", schema: DecidedAnswer },
    async handler({ ctx, agent, params, body }) {
      const { id: sessionId, callId } = params;
      const decided = await decideApproval(ctx, { agentId: agent.id, sessionId, callId, ...body });
      return { ok: true, ...toDecided(decided) };
    },
  }),
];
