import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { freePort } from "../../../scripts/lib/free-port.mjs";
import { runNode } from "../../../scripts/lib/run-command.mjs";
import { type BerthClient, createClient } from "../../../src/sdk/client";
import { createTestDatabase } from "../database";
import { deployFiles } from "../deploy-files";
import { startRedis } from "../redis-server";
import { type ScriptedModel, startScriptedModel } from "../scripted-model/start-scripted-model";
import { type Effects, startEffects } from "./effects";
import { ProductProcess } from "./product-process";

export interface FarmOptions {
  workers?: number;
  webs?: number;
  env?: Record<string, string>;
  /** Where its tables are; a clone of the template when absent. */
  database?: { ownerUrl: string; appUrl: string };
}

/** The built product in processes of its own: one database, any number of webs and workers. */
export interface Farm {
  webs: ProductProcess[];
  workers: ProductProcess[];
  /** Address of the first web process. */
  url: string;
  urls: string[];
  org: string;
  agent: string;
  apiKey: string;
  client: BerthClient;
  model: ScriptedModel;
  effects: Effects;
  stateDir: string;
  /** SQL as the schema's owner, to look. */
  sql<Row extends object>(text: string, params?: unknown[]): Promise<Row[]>;
  /** Deploys the agent; files replace those of the fault project. @returns its version */
  deploy(files?: Record<string, string>): Promise<number>;
  /** Waits until the first web process answers `/readyz` with 200. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

const AGENT = "faults";

const PROJECT = (effects: string): Record<string, string> => ({
  "package.json": '{ "name": "faults", "private": true, "type": "module" }\n',
  "bot/agent.ts": agentFile(effects),
  "bot/instructions.md": "Answer.\n",
  ...Object.fromEntries(
    (["read", "write"] as const).map((effect) => [
      `bot/tools/${effect}_effect.ts`,
      effectTool(effect, effects),
    ]),
  ),
  "bot/tools/gated_effect.ts": effectTool("write", effects, "needsApproval: true,"),
  "bot/tools/abort.ts": bodyTool("process.abort()"),
  "bot/tools/block.ts": bodyTool("for (;;) {}", "timeoutMs: 5000,"),
});

/** `agent.ts` of the fault project; `settings` are further members of it. */
export function agentFile(effects: string, settings = "approvals: { self: true }"): string {
  return `import { defineAgent } from "openberth";

export default defineAgent({
  name: "faults",
  model: "stub/echo",
  tools: [],
  hosting: { egressDomains: ["${effects}"] },
  ${settings},
});
`;
}

const effectTool = (effect: string, host: string, more = "") =>
  `import { defineTool } from "openberth/tools";

export default defineTool({
  description: "Has an effect.",
  effect: "${effect}",
  ${more}
  inputSchema: { type: "object", properties: {} },
  async execute(_input, ctx) {
    const answer = await fetch("http://${host}/" + ctx.toolCallId, { method: "POST" });
    return await answer.json();
  },
});
`;

const bodyTool = (body: string, more = "") => `import { defineTool } from "openberth/tools";

export default defineTool({
  description: "Misbehaves.",
  effect: "write",
  ${more}
  inputSchema: { type: "object", properties: {} },
  execute() {
    ${body};
    return "never";
  },
});
`;

/** Waits until a condition of the outside holds; the condition is asked ten times a second. */
export async function until(
  what: () => string,
  holds: () => Promise<boolean>,
  timeoutMs = 40_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain: ${what()}`);
    await sleep(100);
  }
}

type Stop = () => unknown;

/** Starts a farm and deploys the fault project. */
export async function startFarm(options: FarmOptions = {}): Promise<Farm> {
  const stops: Stop[] = [];
  try {
    return await open(options, stops);
  } catch (error) {
    for (const stop of stops.reverse()) await stop();
    throw error;
  }
}

/** Where the suite runs on Redis, each farm has one of its own unless it brings one. */
async function startRedisOf({ env }: FarmOptions, stops: Stop[]): Promise<string | undefined> {
  if (!process.env.BERTH_FAULTS_REDIS || env?.REDIS_URL) return undefined;
  const redis = await startRedis();
  stops.push(redis.stop);
  return redis.url;
}

async function open(options: FarmOptions, stops: Stop[]): Promise<Farm> {
  const { workers = 1, webs = 1, env: more = {} } = options;
  const parent = await mkdtemp(join(tmpdir(), "berth-farm-"));
  await chmod(parent, 0o711); // the sandboxes' users must get through
  stops.push(() => rm(parent, { recursive: true, force: true }));
  const database = options.database ?? (await createTestDatabase());
  if ("drop" in database) stops.push(database.drop as Stop);
  const model = await startScriptedModel();
  stops.push(model.stop);
  const effects = await startEffects();
  stops.push(effects.stop);
  const redisUrl = await startRedisOf(options, stops);
  const stateDir = join(parent, "state");
  const env = {
    PATH: process.env.PATH ?? "",
    NODE_ENV: "production" as const,
    DATABASE_URL: database.appUrl,
    BERTH_STATE_DIR: stateDir,
    BERTH_SECRET: randomBytes(32).toString("hex"),
    BERTH_MASTER_KEY: randomBytes(32).toString("base64"),
    BERTH_INTERNAL_TOKEN: randomBytes(16).toString("hex"),
    BERTH_PRIVATE_TARGETS: `models=${new URL(model.url).host},sandbox=effects.test@${effects.address}`,
    BERTH_LOG_LEVEL: "warn",
    ...(redisUrl ? { REDIS_URL: redisUrl } : {}),
    ...more,
  };
  const seeded = await runNode("dist/seed.mjs", [], {
    env: { ...env, DATABASE_MIGRATE_URL: database.ownerUrl },
  });
  const { org, apiKey } = JSON.parse(seeded.trim().split("\n").at(-1) ?? "");
  const ports = await Promise.all(Array.from({ length: webs }, () => freePort()));
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const farm: Pick<Farm, "webs" | "workers"> = {
    webs: ports.map(
      (port, i) =>
        new ProductProcess("dist/web.mjs", {
          ...env,
          BERTH_PORT: String(port),
          BERTH_URL: urls[i] ?? "",
        }),
    ),
    workers: Array.from(
      { length: workers },
      (_, i) =>
        new ProductProcess("dist/worker.mjs", {
          ...env,
          BERTH_WORKER_ADDRESS: join(parent, `worker-${i}.sock`),
        }),
    ),
  };
  const all = [...farm.webs, ...farm.workers];
  stops.push(() => Promise.all(all.map((service) => service.end("SIGKILL"))));
  for (const service of all) service.start();
  const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 });
  owner.on("connect", (client) => client.on("error", () => undefined));
  owner.on("error", () => undefined);
  stops.push(() => owner.end());
  const url = urls[0] ?? "";
  const client = createClient({ url, token: apiKey });
  const ready = () =>
    until(
      () => `readiness of ${url}:\n${all.map(({ output }) => output.slice(-2_000)).join("\n")}`,
      async () => (await fetch(`${url}/readyz`)).status === 200,
    );
  const files = PROJECT(effects.host);
  const deploy = (more: Record<string, string> = {}): Promise<number> => {
    Object.assign(files, PROJECT(effects.host), more);
    return deployFiles(client, org, AGENT, files);
  };
  await ready();
  const settings = { kind: "openai-compatible" as const, baseUrl: model.url, apiKey: "k" };
  await client.control.setModel(org, "stub", settings);
  await deploy();
  return {
    ...farm,
    ...{ url, urls, org, agent: AGENT, apiKey, client, model, effects, stateDir, deploy, ready },
    sql: async (text, params = []) => (await owner.query(text, params)).rows,
    async stop() {
      for (const stop of stops.reverse()) await stop();
    },
  };
}
