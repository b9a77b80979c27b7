import { resolve } from "node:path";
import type { VersionResolver } from "../server/deployments";
import { parsePrivateTargets, startGateway } from "../server/egress";
import type { Platform } from "../server/platform/platform";
import { answerHostCall, recordDenial } from "../server/runner";
import {
  createSandboxes,
  type DriverCapabilities,
  type SandboxDriver,
  type Sandboxes,
  sweepRunFolders,
} from "../server/sandbox";
import { AgentLog } from "./agent-log";
import { openDriver } from "./open-driver";

export interface OpenedSandboxes {
  sandboxes: Sandboxes;
  driver: SandboxDriver;
  strength: DriverCapabilities;
  close(): Promise<void>;
}

/** Starts the gateway and everything that runs tenants' code. @throws Error if it does not hold. */
export async function openSandboxes(
  platform: Platform,
  resolver: VersionResolver,
): Promise<OpenedSandboxes> {
  const { env, log, clock } = platform;
  const agentLog = new AgentLog(platform);
  await tidyUp(platform);
  let sandboxes: Sandboxes | undefined;
  const gateway = await startGateway({
    entry: resolve("dist/gateway.mjs"),
    targets: parsePrivateTargets(env.BERTH_PRIVATE_TARGETS),
    onDenied: (id, denial) => sandboxes?.denied(id, denial),
    onLog: (line) => log.info({ line }, "gateway"),
  });
  try {
    const { driver, strength } = await openDriver(env, gateway);
    const opened = createSandboxes({
      driver,
      clock,
      resolve: resolver.resolve,
      revision: resolver.revision,
      onHostCall: answerHostCall,
      onLog: (ref, line) => void agentLog.write(ref, line),
      onDenied: (ref, denial) => {
        recordDenial(ref, denial).catch((error) => {
          log.warn({ err: error, ...ref }, "a refused host could not be noted");
        });
      },
    });
    sandboxes = opened;
    const close = async () => {
      await opened.close();
      await gateway.close();
    };
    return { sandboxes: opened, driver, strength, close };
  } catch (error) {
    await gateway.close();
    throw error;
  }
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
