import { once } from "node:events";
import { rm } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { Builder, BundleCache, VersionResolver } from "../server/deployments";
import { createOutboundGuard, parsePrivateTargets } from "../server/egress";
import { createQueueBackend } from "../server/jobs";
import { sha256Hex } from "../server/platform/crypto";
import type { Env } from "../server/platform/env";
import { newUuid } from "../server/platform/id";
import type { Platform } from "../server/platform/platform";
import { startPlatform } from "../server/platform/start-platform";
import { AgentSource, removeWorker, reportWorker, TurnLoop } from "../server/runner";
import { createInternalServer, provideInvoke } from "../server/sandbox";
import { DeltaBatcher } from "../server/sessions";
import { AgentStates, invokeInSession, openWorkspace } from "../server/workspaces";
import { jobHandlers } from "./handlers";
import { startHousekeeping } from "./housekeeping";
import { keepWorkspaces } from "./keep-workspaces";
import { type OpenedSandboxes, openSandboxes } from "./open-sandboxes";

const REPORT_MS = 2_000;
/** How long running turns may take to end when the worker is asked to stop. */
const GRACE_MS = 20_000;

export interface RunningWorker {
  platform: Platform;
  /** Ends claims, lets turns finish or hands them back, then closes everything. */
  drain(): Promise<void>;
}

/** Starts everything a worker is. @throws Error when the sandbox does not hold on this machine. */
export async function startWorker(env: Env): Promise<RunningWorker> {
  const { platform, stop } = await startPlatform("worker", env);
  const guard = createOutboundGuard({
    purpose: "models",
    targets: parsePrivateTargets(env.BERTH_PRIVATE_TARGETS),
  });
  const bundles = new BundleCache(ownFolder(env, "bundles"));
  await bundles.clear();
  const resolver = new VersionResolver(ownFolder(env, "agents"), bundles);
  const opened = await openSandboxes(platform, resolver).catch(async (error) => {
    await guard.close();
    await stop();
    throw error;
  });
  const { sandboxes, shells, driver } = opened;
  const id = newUuid();
  const states = new AgentStates(id, sandboxes);
  const { invoke } = states;
  const invokeFromOutside = invokeInSession({ invoke, sandboxes });
  provideInvoke(invokeFromOutside);
  const server = await listen(env, platform, invokeFromOutside);
  const builder = new Builder({
    dir: ownFolder(env, "builds"),
    bundles,
    resolver,
    invoke,
    runBuild: driver.runBuild.bind(driver),
  });
  const jobs = createQueueBackend({ databaseUrl: env.DATABASE_URL, ...platform });
  const turns = new TurnLoop(id, env.BERTH_WORKER_SLOTS, {
    deltas: new DeltaBatcher(),
    prepare: new AgentSource(guard.fetch).prepare,
    invoke,
    shell: async (ref, sessionId, call, options) =>
      shells.call(await sandboxes.shellPlace(ref, sessionId), call, options),
    workspace: (ref, { sessionId, dryRun }, manifest) =>
      openWorkspace({ ref, sessionId, manifest, dryRun }, sandboxes),
    prefetch: (ref) => sandboxes.prefetch(ref),
  });
  const report = reporter({ id, env, platform, server, turns, opened });
  await report(false);
  const timer = setInterval(() => void report(false), REPORT_MS);
  builder.start();
  await jobs.work(jobHandlers(builder));
  turns.start();
  const endHousekeeping = startHousekeeping(platform);
  const dir = join(ownFolder(env, "agents"), "workspaces");
  const endKeeping = keepWorkspaces(platform, { dir, folders: opened.folders, sandboxes });
  platform.log.info({ id, sandbox: driver.name }, "worker is running");

  const drain = async () => {
    clearInterval(timer);
    await report(true);
    await turns.drain(GRACE_MS);
    await Promise.all([builder.close(), jobs.close(), endHousekeeping(), endKeeping()]);
    server.close();
    server.closeAllConnections();
    await states.close();
    await opened.close();
    await removeWorker(id);
    await guard.close();
    await stop();
  };
  return { platform, drain };
}

/** A folder of this worker alone: workers of one installation differ in their address. */
const ownFolder = (env: Env, kind: string): string => {
  const name = sha256Hex(env.BERTH_WORKER_ADDRESS ?? "worker").slice(0, 8);
  return join(resolve(env.BERTH_STATE_DIR), "worker", name, kind);
};

async function listen(
  env: Env,
  { log }: Platform,
  invoke: Parameters<typeof createInternalServer>[0]["invoke"],
): Promise<Server> {
  const server = createInternalServer({ invoke, token: env.BERTH_INTERNAL_TOKEN, log });
  const address = env.BERTH_WORKER_ADDRESS ?? "127.0.0.1:0";
  if (address.startsWith("/")) {
    await rm(address, { force: true }); // a worker that was killed leaves its socket
    server.listen(address);
  } else {
    const colon = address.lastIndexOf(":");
    server.listen(Number(address.slice(colon + 1)), address.slice(0, colon));
  }
  await once(server, "listening");
  return server;
}

function addressOf(server: Server): string {
  const address = server.address();
  if (typeof address === "string") return address;
  const { address: host, port } = address as AddressInfo;
  return `${host}:${port}`;
}

interface Reported {
  id: string;
  env: Env;
  platform: Platform;
  server: Server;
  turns: TurnLoop;
  opened: OpenedSandboxes;
}

/** Writes the worker's row; a failure is told and tried again with the next report. */
const reporter =
  ({ id, env, platform, server, turns, opened }: Reported) =>
  async (draining: boolean): Promise<void> => {
    const { sandboxes, driver, strength } = opened;
    try {
      await reportWorker({
        id,
        address: addressOf(server),
        slots: env.BERTH_WORKER_SLOTS,
        busy: turns.busy,
        warm: sandboxes.stats().map(({ ref }) => `${ref.orgId}/${ref.agentId}/${ref.version}`),
        sandbox: { driver: driver.name, ...strength },
        build: process.version,
        draining,
      });
    } catch (error) {
      platform.log.warn({ err: error }, "the worker could not report itself");
    }
  };
