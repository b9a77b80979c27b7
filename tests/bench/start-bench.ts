import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packProject } from "../../src/cli/pack/pack-project";
import { type BerthClient, createClient } from "../../src/sdk/client";
import { startProduct } from "../support/product";
import { startRedis } from "../support/redis-server";
import type { Bench } from "./bench";
import { startBenchDatabase } from "./bench-database";
import { createBenchHttp } from "./bench-http";
import { PROVIDER, writeBenchProject } from "./bench-project";
import { startForLine } from "./child-line";
import { makeKeys } from "./make-keys";
import type { BenchOptions } from "./options";

const AGENT = "bench";
/** A key may ask 500 times a second; the generator asks more. */
const KEYS = 8;

function deployer(dir: string) {
  return async (client: BerthClient, org: string, label: string): Promise<number> => {
    await writeBenchProject(dir, label);
    const { archive } = await packProject(dir);
    for await (const line of client.control.deploy(org, AGENT, archive)) {
      if (line.type === "deployed") return line.version;
      if (line.type === "failed") throw new Error(JSON.stringify(line.diagnostics));
    }
    throw new Error("the build log ended without a result");
  };
}

type Stop = () => unknown;

async function redisSettings(stops: Stop[], wanted: boolean): Promise<{ REDIS_URL?: string }> {
  if (!wanted) return {};
  const redis = await startRedis();
  stops.push(redis.stop);
  return { REDIS_URL: redis.url };
}

async function open(stops: Stop[], { quick, redis }: BenchOptions): Promise<Bench> {
  const model = await startForLine(["--import", "tsx", "tests/support/scripted-model/main.ts"]);
  stops.push(model.stop);
  const database = await startBenchDatabase();
  stops.push(database.stop);
  const dir = await mkdtemp(join(tmpdir(), "berth-bench-project-"));
  stops.push(() => rm(dir, { recursive: true, force: true }));
  const product = await startProduct({
    DATABASE_URL: database.appUrl,
    DATABASE_MIGRATE_URL: database.ownerUrl,
    BERTH_PRIVATE_TARGETS: `models=${new URL(model.line).host}`,
    BERTH_LOG_LEVEL: "warn",
    ...(await redisSettings(stops, redis)),
  });
  stops.push(product.stop);
  const { org } = product;
  const client = createClient({ url: product.url, token: product.apiKey });
  const settings = { kind: "openai-compatible", baseUrl: model.line, apiKey: "bench" };
  await client.control.setModel(org, PROVIDER, settings);
  const deployAs = deployer(dir);
  const deploy = (label: string) => deployAs(client, org, label);
  await deploy("first");
  const http = createBenchHttp(`${product.url}/${org}/${AGENT}`, await makeKeys(product, KEYS));
  stops.push(http.close);
  const modelUrl = model.line;
  return {
    product,
    client,
    http,
    databaseUrl: database.ownerUrl,
    modelUrl,
    org,
    agent: AGENT,
    deploy,
    deployTo: (other, otherOrg) => deployAs(other, otherOrg, "first"),
    quick,
  };
}

/** Rejects at Ctrl-C or SIGTERM, so that what was started is stopped before the process ends. */
const interruption = (): Promise<never> =>
  new Promise((_resolve, reject) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.once(signal, () => reject(new Error(`ended by ${signal}`)));
  });

/** Starts model, Postgres, Redis if asked for, and the built product and deploys the bench agent, for `work` alone. */
export async function withBench<Result>(
  options: BenchOptions,
  work: (bench: Bench) => Promise<Result>,
): Promise<Result> {
  const stops: Stop[] = [];
  const opening = open(stops, options);
  try {
    return await Promise.race([opening.then(work), interruption()]);
  } finally {
    await opening.catch(() => undefined); // what it has started by then is in `stops`
    for (const stop of stops.reverse()) await stop();
  }
}
