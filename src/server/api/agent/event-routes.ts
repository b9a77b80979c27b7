import { z } from "zod";
import { getSession, readEvents, tailSession } from "../../sessions";
import { route } from "../route";
import { streamAnswer } from "../stream-answer";
import { SessionParams } from "./session-routes";
import { indexAfter, StartIndex } from "./start-index";

const BASE = "/{org}/{agent}/v1/session/{id}";
const tag = "events";

const wantsEventStream = (request: Request): boolean =>
  /\btext\/event-stream\b/i.test(request.headers.get("accept") ?? "");

const stream = route({
  method: "GET",
  path: `${BASE}/stream`,
  summary: "The session's events: replay, then live",
  tag,
  auth: "agent",
  params: SessionParams,
  query: z.object({
    startIndex: StartIndex.optional(),
    follow: z.enum(["true", "false"]).optional(),
  }),
  answer: {
    status: 200,
    description: "One event per line, or server-sent events where Accept asks for them.",
    type: "application/x-ndjson",
  },
  async handler({ ctx, agent, params, query, request }) {
    const session = await getSession(ctx, { agentId: agent.id, sessionId: params.id });
    const format = wantsEventStream(request) ? "sse" : "ndjson";
    const resumed = format === "sse" ? indexAfter(request.headers.get("last-event-id")) : undefined;
    const reader = new AbortController();
    const events = tailSession({
      orgId: ctx.orgId,
      sessionId: session.id,
      from: resumed ?? query.startIndex ?? 0,
      follow: query.follow !== "false",
      format,
      signal: reader.signal,
    });
    return streamAnswer(events, { format, reader });
  },
});

/** Lines from an index on, as the log stood when the first page was read. */
async function* eventLines(orgId: string, sessionId: string, from: number, limit: number) {
  let length: number | undefined;
  for (let at = from, left = limit; left > 0; ) {
    const page = await readEvents(orgId, sessionId, at, left);
    length ??= page?.length ?? 0;
    const lines = page?.lines.slice(0, Math.max(0, length - at)) ?? [];
    if (lines.length === 0) return;
    yield lines;
    at += lines.length;
    left -= lines.length;
  }
}

async function* asNdjson(pages: AsyncIterable<string[]>) {
  for await (const lines of pages) yield Buffer.from(`${lines.join("\n")}\n`);
}

async function* asArray(pages: AsyncIterable<string[]>) {
  let separator = "[";
  for await (const lines of pages) {
    yield Buffer.from(separator + lines.join(","));
    separator = ",";
  }
  yield Buffer.from(separator === "[" ? "[]" : "]");
}

const events = route({
  method: "GET",
  path: `${BASE}/events`,
  summary: "The session's log so far",
  tag,
  auth: "agent",
  params: SessionParams,
  query: z.object({
    startIndex: StartIndex.optional(),
    limit: z.coerce.number().int().min(1).max(1_000_000).optional(),
    format: z.enum(["ndjson", "json"]).optional(),
  }),
  answer: {
    status: 200,
    description: "One event per line; one array with format=json.",
    type: "application/x-ndjson",
  },
  async handler({ ctx, agent, params, query }) {
    const session = await getSession(ctx, { agentId: agent.id, sessionId: params.id });
    const { startIndex = 0, limit = Number.MAX_SAFE_INTEGER, format = "ndjson" } = query;
    const lines = eventLines(ctx.orgId, session.id, startIndex, limit);
    const reader = new AbortController();
    if (format === "ndjson") return streamAnswer(asNdjson(lines), { format, reader });
    return streamAnswer(asArray(lines), {
      format: "ndjson",
      reader,
      headers: { "content-type": "application/json" },
    });
  },
});

export const eventRoutes = [stream, events];
