// A process of its own that sends one follow-up when it is told to: one of many with one token.
import type { Ctx } from "../../src/server/platform/context";
import { readEnv } from "../../src/server/platform/env";
import { AppError } from "../../src/server/platform/errors";
import { startPlatform } from "../../src/server/platform/start-platform";
import { sendMessage } from "../../src/server/turns";

/** What the parent says first; on anything after that the race is on. */
export interface RacerTask {
  env: Record<string, string>;
  ctx: Omit<Ctx, "permissions"> & { permissions: string[] };
  message: Parameters<typeof sendMessage>[1];
}

const heard = () => new Promise<unknown>((resolve) => process.once("message", resolve));

const { env, ctx, message } = (await heard()) as RacerTask;
const { platform, stop } = await startPlatform("racer", readEnv(env));
await platform.pool.query("SELECT 1");
const go = heard();
process.send?.("ready");
await go;
const permissions = new Set(ctx.permissions) as unknown as Ctx["permissions"];
const outcome = await sendMessage({ ...ctx, permissions }, message).then(
  ({ continuationToken }) => ({ continuationToken }),
  (error: unknown) => ({ code: error instanceof AppError ? error.code : String(error) }),
);
process.send?.(outcome);
await stop();
process.disconnect();
