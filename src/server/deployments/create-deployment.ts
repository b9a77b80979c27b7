import { Slug } from "../../protocol/id";
import { createAgent, findAgent } from "../agents";
import { putBlob } from "../blobs";
import type { Ctx } from "../platform/context";
import { AppError, invalidRequest, notFound } from "../platform/errors";
import { requirePermission } from "../platform/verb";
import { MAX_PACKED_BYTES } from "./archive-limits";
import { recordDeployment } from "./record-deployment";

export interface NewDeployment {
  orgSlug: string;
  agentSlug: string;
  /** The packed project, tar.gz. */
  source: AsyncIterable<Uint8Array>;
  message?: string | undefined;
  /** Whether the version becomes the active one once it is built. */
  activate: boolean;
}

export interface CreatedDeployment {
  id: string;
  agentId: string;
  /** The agent's slug as it was created. */
  agentSlug: string;
  version: number;
}

/** The agent to deploy to, or undefined where it is to be made; refuses before the upload is read. */
async function existingAgent(ctx: Ctx, { orgSlug, agentSlug }: NewDeployment) {
  requirePermission(ctx, "deployments:write");
  const agent = await findAgent(orgSlug, agentSlug);
  if (agent) {
    if (ctx.onlyAgentId !== undefined && ctx.onlyAgentId !== agent.id) throw notFound();
    return agent;
  }
  requirePermission(ctx, "agents:create");
  const slug = Slug.safeParse(agentSlug);
  if (!slug.success) throw invalidRequest(slug.error);
  return undefined;
}

async function newAgent(ctx: Ctx, { orgSlug, agentSlug }: NewDeployment) {
  try {
    return await createAgent(ctx, { slug: agentSlug });
  } catch (error) {
    const lost = error instanceof AppError && error.code === "already_exists";
    const agent = lost ? await findAgent(orgSlug, agentSlug) : undefined;
    if (!agent) throw error;
    return agent;
  }
}

/**
 * Takes a packed project as an agent's next version, making the agent if it is new, and has a
 * worker build it.
 * @throws AppError `forbidden`, `not_found`, `invalid_request`, `body_too_large`.
 */
export async function createDeployment(
  ctx: Ctx,
  deployment: NewDeployment,
): Promise<CreatedDeployment> {
  const existing = await existingAgent(ctx, deployment);
  const { sha256 } = await putBlob(ctx.orgId, deployment.source, { maxBytes: MAX_PACKED_BYTES });
  const agent = existing ?? (await newAgent(ctx, deployment));
  const { message, activate } = deployment;
  const input = { agentId: agent.id, sourceSha: sha256, message, activate };
  return { ...(await recordDeployment(ctx, input)), agentSlug: agent.slug };
}
