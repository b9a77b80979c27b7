import { z } from "zod";
import { deleteSession } from "../../retention";
import { getSession, tailSession } from "../../sessions";
import { SessionParams } from "../agent/session-routes";
import { StartIndex } from "../agent/start-index";
import { route } from "../route";
import { streamAnswer } from "../stream-answer";

const stream = route({
  method: "GET",
  path: "/api/v1/orgs/{org}/agents/{agent}/sessions/{id}/stream",
  summary: "Anybody's session of the agent, for members whose role may read sessions",
  tag: "sessions",
  auth: "agent",
  params: SessionParams,
  query: z.object({
    startIndex: StartIndex.optional(),
    follow: z.enum(["true", "false"]).optional(),
  }),
  answer: {
    status: 200,
    description: "One event per line: replay, then live.",
    type: "application/x-ndjson",
  },
  async handler({ ctx, agent, params, query }) {
    const { id: sessionId } = params;
    const session = await getSession(ctx, { agentId: agent.id, sessionId, everyone: true });
    const reader = new AbortController();
    const events = tailSession({
      orgId: ctx.orgId,
      sessionId: session.id,
      from: query.startIndex ?? 0,
      follow: query.follow !== "false",
      format: "ndjson",
      signal: reader.signal,
    });
    return streamAnswer(events, { format: "ndjson", reader });
  },
});

const erase = route({
  method: "DELETE",
  path: "/api/v1/orgs/{org}/agents/{agent}/sessions/{id}",
  summary: "Stop anybody's session of the agent and erase it with everything it left",
  tag: "sessions",
  auth: "agent",
  params: SessionParams,
  answer: { status: 204, description: "It is gone." },
  handler: ({ ctx, agent, params }) =>
    deleteSession(ctx, { agentId: agent.id, sessionId: params.id, everyone: true }),
});

export const controlSessionRoutes = [stream, erase];
