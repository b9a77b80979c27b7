import { z } from "zod";
import { getSession, listSessions } from "../../sessions";
import { createSession, sendMessage, stopTurn, WorkspaceFiles } from "../../turns";
import { route } from "../route";
import { SentAnswer, SessionAnswer, SessionsAnswer, toSession } from "./session-answers";
import { sessionLinks } from "./session-links";

const BASE = "/{org}/{agent}/v1";
const tag = "sessions";
export const SessionParams = z.object({ id: z.string().max(64) });

const create = route({
  method: "POST",
  path: `${BASE}/session`,
  summary: "Open a session with its first message",
  tag,
  auth: "agent",
  body: z.object({
    message: z.string().min(1),
    title: z.string().max(200).optional(),
    mode: z.enum(["chat", "task"]).optional(),
    metadata: z.record(z.string(), z.json()).optional(),
    dryRun: z.boolean().optional(),
    asOf: z.iso.datetime({ offset: true }).optional(),
    workspaceFiles: WorkspaceFiles.optional(),
  }),
  answer: {
    status: 202,
    description: "The message is in the log.",
    schema: SentAnswer,
    secret: { member: "sessionSecret", id: "sessionId" },
  },
  async handler({ ctx, orgSlug, agent, body }) {
    const sent = await createSession(ctx, { agentId: agent.id, ...body });
    return { ok: true, ...sent, ...sessionLinks(orgSlug, agent.slug, sent.sessionId) };
  },
});

const send = route({
  method: "POST",
  path: `${BASE}/session/{id}`,
  summary: "Send a follow-up; it takes the place of a running turn, or joins it",
  tag,
  auth: "agent",
  params: SessionParams,
  body: z.object({
    message: z.string().min(1),
    continuationToken: z.string().max(512).optional(),
    admission: z.enum(["preempt", "coalesce"]).optional(),
    workspaceFiles: WorkspaceFiles.optional(),
  }),
  answer: { status: 202, description: "The message is in the log.", schema: SentAnswer },
  async handler({ ctx, orgSlug, agent, params, body }) {
    const sent = await sendMessage(ctx, { agentId: agent.id, sessionId: params.id, ...body });
    return { ok: true, ...sent, ...sessionLinks(orgSlug, agent.slug, sent.sessionId) };
  },
});

const get = route({
  method: "GET",
  path: `${BASE}/session/{id}`,
  summary: "A session: its state, usage and newest index",
  tag,
  auth: "agent",
  params: SessionParams,
  answer: { status: 200, description: "The session.", schema: SessionAnswer },
  async handler({ ctx, agent, params }) {
    const session = await getSession(ctx, { agentId: agent.id, sessionId: params.id });
    return { ok: true, ...toSession(session) };
  },
});

const stop = route({
  method: "POST",
  path: `${BASE}/session/{id}/stop`,
  summary: "Stop the running turn at once",
  tag,
  auth: "agent",
  params: SessionParams,
  body: z
    .object({ turnId: z.string().max(64).optional(), clearQueued: z.boolean().optional() })
    .optional(),
  answer: {
    status: 202,
    description: "Whether there was something to stop.",
    schema: z.object({ ok: z.literal(true), stopped: z.boolean() }),
  },
  async handler({ ctx, agent, params, body }) {
    const { stopped } = await stopTurn(ctx, {
      agentId: agent.id,
      sessionId: params.id,
      ...body,
    });
    return { ok: true, stopped };
  },
});

const list = route({
  method: "GET",
  path: `${BASE}/sessions`,
  summary: "The caller's sessions, newest first",
  tag,
  auth: "agent",
  query: z.object({
    status: z.enum(["waiting", "queued", "running", "parked", "completed", "failed"]).optional(),
    channel: z.string().max(64).optional(),
    limit: z.coerce.number().int().min(1).max(200).optional(),
    cursor: z.string().max(64).optional(),
  }),
  answer: { status: 200, description: "One page.", schema: SessionsAnswer },
  async handler({ ctx, agent, query }) {
    const page = await listSessions(ctx, { agentId: agent.id, ...query });
    return { ok: true, sessions: page.sessions.map(toSession), nextCursor: page.nextCursor };
  },
});

export const sessionRoutes = [create, send, get, stop, list];
