import { z } from "zod";
import type { BuildLogLine } from "../../../protocol/build-log";
import { BuildLogLine as BuildLogLineSchema, DeploymentView } from "../../../protocol/build-log";
import { Manifest } from "../../../protocol/manifest";
import { activateVersion, findAgent } from "../../agents";
import {
  createDeployment,
  followBuildLog,
  getDeployment,
  listDeployments,
  MAX_PACKED_BYTES,
} from "../../deployments";
import { notFound } from "../../platform/errors";
import { StartIndex } from "../agent/start-index";
import { route } from "../route";
import { streamAnswer } from "../stream-answer";

const BASE = "/api/v1/orgs/{org}/agents/{agent}/deployments";
const tag = "deployments";
const VersionParams = z.object({
  version: z
    .string()
    .regex(/^[1-9]\d{0,8}$/)
    .transform(Number),
});

async function* asNdjson(lines: AsyncIterable<BuildLogLine>) {
  for await (const line of lines) yield Buffer.from(`${JSON.stringify(line)}\n`);
}

const create = route({
  method: "POST",
  path: BASE,
  summary: "Deploy a packed project; makes the agent if it is new",
  tag,
  auth: "org",
  params: z.object({ agent: z.string().max(200) }),
  query: z.object({
    message: z.string().max(500).optional(),
    activate: z.enum(["true", "false"]).optional(),
  }),
  rawBody: "application/gzip",
  maxBodyBytes: MAX_PACKED_BYTES,
  answer: {
    status: 201,
    description: "The build log to its last line, deployed or failed. Location is the version.",
    schema: BuildLogLineSchema,
    type: "application/x-ndjson",
  },
  async handler({ ctx, orgSlug, params, query, upload }) {
    const made = await createDeployment(ctx, {
      orgSlug,
      agentSlug: params.agent,
      source: upload ?? new ReadableStream({ start: (empty) => empty.close() }),
      message: query.message,
      activate: query.activate !== "false",
    });
    const location = `/api/v1/orgs/${orgSlug}/agents/${made.agentSlug}/deployments/${made.version}`;
    return buildLogAnswer(ctx.orgId, made, location);
  },
  async again({ ctx, orgSlug, params }, location) {
    const agent = await findAgent(orgSlug, params.agent);
    if (!agent) throw notFound();
    const version = Number(location.slice(location.lastIndexOf("/") + 1));
    const found = await getDeployment(ctx, { agentId: agent.id, version });
    return buildLogAnswer(ctx.orgId, { agentId: agent.id, version: found.version }, location);
  },
});

/** A new version's build log to its last line. */
function buildLogAnswer(
  orgId: string,
  { agentId, version }: { agentId: string; version: number },
  location: string,
): Response {
  const reader = new AbortController();
  const log = { orgId, agentId, version, from: 0, follow: true, signal: reader.signal };
  return streamAnswer(asNdjson(followBuildLog(log)), {
    format: "ndjson",
    reader,
    headers: { location },
    status: 201,
  });
}

const list = route({
  method: "GET",
  path: BASE,
  summary: "An agent's versions, newest first",
  tag,
  auth: "agent",
  query: z.object({
    limit: z.coerce.number().int().min(1).max(200).optional(),
    cursor: z.string().regex(/^\d+$/).optional(),
  }),
  answer: {
    status: 200,
    description: "One page.",
    schema: z.object({
      ok: z.literal(true),
      deployments: z.array(DeploymentView),
      nextCursor: z.string().nullable(),
    }),
  },
  async handler({ ctx, agent, query }) {
    return { ok: true, ...(await listDeployments(ctx, { agentId: agent.id, ...query })) };
  },
});

const get = route({
  method: "GET",
  path: `${BASE}/{version}`,
  summary: "One version with its manifest and diagnostics",
  tag,
  auth: "agent",
  params: VersionParams,
  answer: {
    status: 200,
    description: "The version.",
    schema: DeploymentView.extend({ manifest: Manifest.nullable() }),
  },
  handler: ({ ctx, agent, params }) =>
    getDeployment(ctx, { agentId: agent.id, version: params.version }),
});

const log = route({
  method: "GET",
  path: `${BASE}/{version}/log`,
  summary: "A version's build log: replay, then live to its last line",
  tag,
  auth: "agent",
  params: VersionParams,
  query: z.object({
    startIndex: StartIndex.optional(),
    follow: z.enum(["true", "false"]).optional(),
  }),
  answer: {
    status: 200,
    description: "One entry per line.",
    schema: BuildLogLineSchema,
    type: "application/x-ndjson",
  },
  async handler({ ctx, agent, params, query }) {
    const { version } = await getDeployment(ctx, { agentId: agent.id, version: params.version });
    const reader = new AbortController();
    const lines = followBuildLog({
      orgId: ctx.orgId,
      agentId: agent.id,
      version,
      from: query.startIndex ?? 0,
      follow: query.follow !== "false",
      signal: reader.signal,
    });
    return streamAnswer(asNdjson(lines), { format: "ndjson", reader });
  },
});

const activate = route({
  method: "POST",
  path: `${BASE}/{version}/activate`,
  summary: "Make a built version the one that runs",
  tag,
  auth: "agent",
  params: VersionParams,
  answer: {
    status: 200,
    description: "The version that runs now, and the one before.",
    schema: z.object({
      ok: z.literal(true),
      version: z.int(),
      previous: z.int().nullable(),
    }),
  },
  async handler({ ctx, agent, params }) {
    const version = params.version;
    return { ok: true, ...(await activateVersion(ctx, { agentId: agent.id, version })) };
  },
});

export const deploymentRoutes = [create, list, get, log, activate];
