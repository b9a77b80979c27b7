import { z } from "zod";
import { type ArtifactView, followArtifacts, getArtifact, listArtifacts } from "../../artifacts";
import { artifactContent } from "../artifact-content";
import { route } from "../route";
import { streamAnswer } from "../stream-answer";
import { foreignAnswer } from "../tenant-answer";

const BASE = "/{org}/{agent}/v1/artifacts";
const tag = "artifacts";
const Text = z.string().nullable();
export const ArtifactParams = z.object({ artifactId: z.string().max(64) });

const Artifact = z
  .object({
    id: z.string(),
    kind: z.string(),
    key: z.string(),
    version: z.int(),
    title: Text,
    contentType: Text,
    size: z.int(),
    sha256: Text,
    sessionId: Text,
    turnId: Text,
    callId: Text,
    createdAt: z.string(),
    expiresAt: Text,
  })
  .meta({ id: "Artifact" });

const Filter = z.object({
  kind: z.string().max(128).optional(),
  session: z.string().max(64).optional(),
});

const list = route({
  method: "GET",
  path: BASE,
  summary: "The agent's artifacts, newest first",
  tag,
  auth: "agent",
  query: Filter.extend({
    limit: z.coerce.number().int().min(1).max(200).optional(),
    cursor: z.string().max(64).optional(),
  }),
  answer: {
    status: 200,
    description: "One page, without the artifacts' data.",
    schema: z.object({ ok: z.literal(true), artifacts: z.array(Artifact), nextCursor: Text }),
  },
  async handler({ ctx, agent, query }) {
    return { ok: true, ...(await listArtifacts(ctx, { agentId: agent.id, ...query })) };
  },
});

async function* asLines(artifacts: AsyncIterable<ArtifactView>) {
  for await (const artifact of artifacts) yield Buffer.from(`${JSON.stringify(artifact)}\n`);
}

const stream = route({
  method: "GET",
  path: `${BASE}/stream`,
  summary: "Follow the agent's artifacts: replay, then live",
  tag,
  auth: "agent",
  query: Filter.extend({
    after: z.string().max(64).optional(),
    follow: z.enum(["true", "false"]).optional(),
  }),
  answer: {
    status: 200,
    description: "One artifact per line, oldest first; `after` takes up behind the one it names.",
    schema: Artifact,
    type: "application/x-ndjson",
  },
  async handler({ ctx, agent, query: { follow, ...query } }) {
    const reader = new AbortController();
    const artifacts = await followArtifacts(ctx, {
      agentId: agent.id,
      ...query,
      follow: follow !== "false",
      signal: reader.signal,
    });
    return streamAnswer(asLines(artifacts), { format: "ndjson", reader });
  },
});

const get = route({
  method: "GET",
  path: `${BASE}/{artifactId}`,
  summary: "One artifact with its data",
  tag,
  auth: "agent",
  params: ArtifactParams,
  answer: {
    status: 200,
    description: "The artifact.",
    schema: Artifact.extend({ ok: z.literal(true), data: z.unknown() }),
  },
  async handler({ ctx, agent, params }) {
    const artifact = await getArtifact(ctx, { agentId: agent.id, id: params.artifactId });
    const headers = { "cache-control": "no-store" };
    return foreignAnswer(Response.json({ ok: true, ...artifact }, { headers }));
  },
});

const content = route({
  method: "GET",
  path: `${BASE}/{artifactId}/content`,
  summary: "Download an artifact's contents, or a range of them",
  tag,
  auth: "agent",
  params: ArtifactParams,
  answer: {
    status: 200,
    description: "The bytes as they were tagged; the data as JSON where there are none.",
    type: "application/octet-stream",
  },
  handler: ({ ctx, agent, params, request }) =>
    artifactContent(ctx, { agentId: agent.id, id: params.artifactId }, request),
});

export const artifactRoutes = [list, stream, get, content];
