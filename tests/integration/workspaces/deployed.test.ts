import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newId, newUuid } from "../../../src/server/platform/id";
import { provideInvoke } from "../../../src/server/sandbox";
import { AgentStates, invokeInSession } from "../../../src/server/workspaces";
import { type BuildFarm, packFolder, startBuildFarm } from "../../support/build-farm";
import { type SeededAgent, seedAgent } from "../../support/seed-agent";
import { bearerFor, send } from "../../support/test-api";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

const PROJECT = {
  "package.json": '{ "name": "keeper", "private": true }',
  "bot/instructions.md": "Be brief.",
  "bot/sandbox/workspace/notes/seed.md": "from the author",
  "bot/skills/review.md": "---\ndescription: Use to review.\n---\nReview.\n",
  "bot/tools/shout.ts": `import { defineTool } from "@cursor/bdk/tools";
export default defineTool({ description: "Shouts.", execution: "agent", script: "#!/bin/sh\\ncat\\n" });`,
  "bot/tools/look.ts": `import { defineTool } from "@cursor/bdk/tools";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
export default defineTool({
  description: "Lists the workspace.",
  effect: "read",
  execute: (_input, ctx) => ({
    paths: readdirSync(ctx.workspaceDir, { recursive: true }).sort(),
    seed: readFileSync(join(ctx.workspaceDir, "notes/seed.md"), "utf8"),
  }),
});`,
  "bot/tools/count.ts": `import { defineTool } from "@cursor/bdk/tools";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
const next = (folder: string) => {
  const at = join(folder, "count");
  const count = existsSync(at) ? Number(readFileSync(at, "utf8")) + 1 : 1;
  writeFileSync(at, String(count));
  return count;
};
export default defineTool({
  description: "Counts in the workspace and in the state.",
  effect: "write",
  execute: (_input, ctx) => {
    writeFileSync(join(ctx.workspaceDir, "notes/seed.md"), "from the agent");
    return { session: next(ctx.workspaceDir), agent: next(ctx.stateRoot) };
  },
});`,
};

let state: string;
let berth: TestPlatform;
let seeded: SeededAgent;
let headers: { authorization: string };
const farms: { farm: BuildFarm; states: AgentStates }[] = [];

/** What a worker is to direct calls: its processes, their workspaces and the agents' state. */
async function newWorker(): Promise<BuildFarm> {
  const farm = await startBuildFarm();
  const { sandboxes } = farm;
  const states = new AgentStates(newUuid(), sandboxes);
  farms.push({ farm, states });
  provideInvoke(invokeInSession({ invoke: states.invoke, sandboxes }));
  return farm;
}

async function closeWorkers(): Promise<void> {
  for (const { farm, states } of farms.splice(0)) {
    await states.close();
    await farm.close();
  }
}

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), "berth-state-"));
  berth = await startTestPlatform({ BERTH_STATE_DIR: state });
  seeded = await seedAgent(berth);
  headers = await bearerFor(seeded, { permissions: [...seeded.ctx.permissions] });
  const { builder } = await newWorker();
  builder.start();
}, 120_000);
afterAll(async () => {
  provideInvoke(undefined);
  await closeWorkers();
  await berth.stop();
  await rm(state, { recursive: true });
});

async function deploy(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "berth-project-"));
  for (const [path, text] of Object.entries(PROJECT)) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const answer = await send("POST", `/api/v1/orgs/${seeded.orgId}/agents/keeper/deployments`, {
    body: await packFolder(folder),
    headers: { ...headers, "content-type": "application/gzip" },
  });
  await rm(folder, { recursive: true });
  expect(answer.body).toContain('"type":"deployed"');
}

async function openSession(): Promise<string> {
  const id = newId("ses");
  await berth.sql(
    `INSERT INTO session (org_id, id, agent_id, channel, mode, principal, continuation_token)
     SELECT a.org_id, $2, a.id, 'http', 'chat', 'service:' || k.service_account_id, $2
     FROM agent a JOIN api_key k ON k.org_id = a.org_id
     WHERE a.org_id = $1 AND a.slug = 'keeper'`,
    [seeded.orgId, id],
  );
  return id;
}

async function call(tool: string, sessionId: string) {
  const path = `/${seeded.orgId}/keeper/v1/tools/${tool}`;
  const { body } = await send("POST", path, { json: { input: {}, sessionId }, headers });
  return body.result;
}

test("a deployed agent finds its seeds, skills and programs, and keeps files and state on any worker", async () => {
  await deploy();
  const [one, other] = [await openSession(), await openSession()];
  expect(await call("look", one)).toEqual({
    paths: [
      ".berth",
      ".berth/tools",
      ".berth/tools/shout",
      ".cursor",
      ".cursor/skills",
      ".cursor/skills/review",
      ".cursor/skills/review/SKILL.md",
      "AGENTS.md",
      "notes",
      "notes/seed.md",
    ],
    seed: "from the author",
  });
  expect(await call("count", one)).toEqual({ session: 1, agent: 1 });
  expect(await call("count", other)).toEqual({ session: 1, agent: 2 });

  await newWorker();
  expect(await call("count", one)).toEqual({ session: 2, agent: 3 });
  expect(await call("look", one)).toMatchObject({ seed: "from the agent" });
}, 180_000);
