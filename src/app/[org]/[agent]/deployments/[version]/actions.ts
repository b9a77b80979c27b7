"use server";

import { activateVersion } from "../../../../../server/agents";
import type { Outcome } from "../../../../../ui/outcome";
import { agentPage } from "../../../../_server/agent-page";
import { toOutcome } from "../../../../_server/to-outcome";

export async function activate(org: string, slug: string, version: number): Promise<Outcome<null>> {
  const { ctx, agent } = await agentPage(Promise.resolve({ org, agent: slug }));
  const done = await toOutcome(activateVersion(ctx, { agentId: agent.id, version }));
  return done.ok ? { ok: true, value: null } : done;
}
