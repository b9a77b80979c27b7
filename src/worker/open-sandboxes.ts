import { resolve } from "node:path";
import type { EgressDenial } from "../protocol/gateway-control";
import type { VersionResolver } from "../server/deployments";
import { parsePrivateTargets, startGateway } from "../server/egress";
import type { Platform } from "../server/platform/platform";
import { answerHostCall, recordDenial } from "../server/runner";
import {
  type AgentRef,
  createSandboxes,
  createShells,
  type DriverCapabilities,
  type SandboxDriver,
  type Sandboxes,
  type Shells,
  sweepRunFolders,
  WorkspaceFolders,
} from "../server/sandbox";
import { AgentLog } from "./agent-log";
import { openDriver } from "./open-driver";

export interface OpenedSandboxes {
  /** The workspaces of sessions as folders, for both kinds of guests. */
  folders: WorkspaceFolders;
  sandboxes: Sandboxes;
  /** The shells of this worker's sessions, over the same workspaces. */
  shells: Shells;
  driver: SandboxDriver;
  strength: DriverCapabilities;
  close(): Promise<void>;
}

/** Starts the gateway and everything that runs tenants' code. @throws Error if it does not hold. */
export async function openSandboxes(
  platform: Platform,
  resolver: VersionResolver,
): Promise<OpenedSandboxes> {
  const { env, log } = platform;
  await tidyUp(platform);
  let guests: Guests | undefined;
  const gateway = await startGateway({
    entry: resolve("dist/gateway.mjs"),
    targets: parsePrivateTargets(env.BERTH_PRIVATE_TARGETS),
    onDenied: (id, denial) => {
      guests?.sandboxes.denied(id, denial);
      guests?.shells.denied(id, denial);
    },
    // Whoever started this worker may keep a list of what runs.
    onUp: (pid) => {
      if (process.connected) process.send?.({ gateway: pid });
    },
    onLog: (line) => log.info({ line }, "gateway"),
  });
  try {
    const { driver, strength } = await openDriver(env, gateway);
    const opened = createGuests(driver, resolver, platform);
    const { sandboxes, shells } = opened;
    guests = opened;
    const close = async () => {
      await shells.close();
      await sandboxes.close();
      await gateway.close();
    };
    return { ...opened, driver, strength, close };
  } catch (error) {
    await gateway.close();
    throw error;
  }
}

type Guests = Pick<OpenedSandboxes, "sandboxes" | "shells" | "folders">;

function createGuests(
  driver: SandboxDriver,
  resolver: VersionResolver,
  platform: Platform,
): Guests {
  const { log, clock } = platform;
  const folders = new WorkspaceFolders();
  const agentLog = new AgentLog(platform);
  const onDenied = (ref: AgentRef, denial: EgressDenial) => {
    recordDenial(ref, denial).catch((error) => {
      log.warn({ err: error, ...ref }, "a refused host could not be noted");
    });
  };
  return {
    folders,
    sandboxes: createSandboxes({
      ...{ driver, folders, clock, onDenied },
      resolve: resolver.resolve,
      revision: resolver.revision,
      onHostCall: answerHostCall,
      onLog: (ref, line) => void agentLog.write(ref, line),
    }),
    shells: createShells({
      ...{ driver, folders, clock },
      onLog: ({ ref }, { level, text }) => log.warn({ ...ref, level, text }, "a shell said"),
      onDenied: ({ ref }, denial) => onDenied(ref, denial),
    }),
  };
}

/** What killed workers left costs space only: a failure is told, and the worker starts. */
async function tidyUp({ log }: Platform): Promise<void> {
  try {
    const removed = await sweepRunFolders();
    if (removed > 0) log.info({ removed }, "folders of workers that were killed are removed");
  } catch (error) {
    log.warn({ err: error }, "folders of workers that were killed could not be removed");
  }
}
