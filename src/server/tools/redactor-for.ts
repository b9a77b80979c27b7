import type { Manifest } from "../../protocol/manifest";
import { createRedactor, runtimeEnv } from "../secrets";
import type { Redactor } from "../sessions";

/** Takes the secrets that a version is given out of what its code says. */
export async function redactorFor(
  orgId: string,
  agentId: string,
  { secretNames }: Manifest,
): Promise<Redactor> {
  const { env } = await runtimeEnv({ orgId, agentId, secretNames });
  return createRedactor(env);
}
