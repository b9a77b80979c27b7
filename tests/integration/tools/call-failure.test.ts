import { afterAll, beforeAll, expect, test } from "vitest";
import type { ToolManifest } from "../../../src/protocol/manifest";
import { provideInvoke, SandboxError } from "../../../src/server/sandbox";
import { setSecrets } from "../../../src/server/secrets";
import { manifestWith, seedAgent } from "../../support/seed-agent";
import { bearerFor, send } from "../../support/test-api";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

const VALUE = "find-me-if-you-can";
const tool: ToolManifest = {
  name: "look",
  file: "bot/tools/look.ts",
  description: "Looks.",
  execution: "server",
  effect: "read",
  needsApproval: "never",
  timeArgs: [],
  timeoutMs: 5_000,
};

let berth: TestPlatform;
beforeAll(async () => {
  berth = await startTestPlatform();
});
afterAll(async () => {
  provideInvoke(undefined);
  await berth.stop();
});

test.each(["sandbox_failed", "runtime_lost", "output_too_large"] as const)(
  "%s quotes the agent's process without its secrets",
  async (code) => {
    const agent = await seedAgent(berth, manifestWith({ tools: [tool] }));
    await setSecrets(agent.ctx, { agentId: agent.agentId, secrets: { TOKEN: VALUE } });
    provideInvoke(() => Promise.reject(new SandboxError(code, `Its output: ${VALUE}`)));
    const headers = await bearerFor(agent);
    const path = `/${agent.orgId}/agent/v1/tools/look`;
    const { body } = await send("POST", path, { json: { input: {} }, headers });
    expect(body.message).toContain("Its output: [secret:TOKEN]");
    expect(JSON.stringify(body)).not.toContain(VALUE);
  },
);
