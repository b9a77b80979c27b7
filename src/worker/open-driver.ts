import { resolve } from "node:path";
import type { Gateway } from "../server/egress";
import type { Env } from "../server/platform/env";
import {
  createBwrapDriver,
  createUnsafeDriver,
  type DriverCapabilities,
  type SandboxDriver,
} from "../server/sandbox";

const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);

/**
 * The sandbox driver that the settings ask for, proven on this machine.
 * @throws Error when it does not hold: nothing weaker is ever taken instead.
 */
export async function openDriver(
  env: Env,
  gateway: Gateway,
): Promise<{ driver: SandboxDriver; strength: DriverCapabilities }> {
  const options = { gateway, runtimeDir: resolve("dist/runtime") };
  if (env.BERTH_SANDBOX === "unsafe-process" && !LOOPBACK.has(env.BERTH_HOST)) {
    throw new Error("BERTH_SANDBOX=unsafe-process is for loopback only; BERTH_HOST is not.");
  }
  const driver =
    env.BERTH_SANDBOX === "unsafe-process"
      ? createUnsafeDriver(options)
      : createBwrapDriver(options);
  return { driver, strength: await driver.probe() };
}
