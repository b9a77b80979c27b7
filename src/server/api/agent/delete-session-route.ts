import { deleteSession } from "../../retention";
import { route } from "../route";
import { SessionParams } from "./session-routes";

export const deleteSessionRoute = route({
  method: "DELETE",
  path: "/{org}/{agent}/v1/session/{id}",
  summary: "Stop a session and erase it with everything it left",
  tag: "sessions",
  auth: "agent",
  params: SessionParams,
  answer: { status: 204, description: "It is gone." },
  handler: ({ ctx, agent, params }) =>
    deleteSession(ctx, { agentId: agent.id, sessionId: params.id }),
});
