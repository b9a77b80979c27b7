import next from "next";
import { createFrontDoor, drain } from "../server/api";
import { createBullmqBackend, provideQueue } from "../server/jobs";
import { readEnv } from "../server/platform/env";
import { startPlatform } from "../server/platform/start-platform";
import { provideInvoke, RemoteInvoker } from "../server/sandbox";

/** How long open requests may take to end; streams end with it and are taken up elsewhere. */
const GRACE_MS = 10_000;

const env = readEnv();
const { platform, stop } = await startPlatform("web", env);
const workers = new RemoteInvoker(env.BERTH_INTERNAL_TOKEN);
provideInvoke(workers.invoke);
const queue = createBullmqBackend({ connectionString: env.DATABASE_URL, log: platform.log });
provideQueue(queue);

const app = next({ dev: env.BERTH_DEV, dir: process.cwd() });
await app.prepare();
const server = createFrontDoor(app.getRequestHandler());
if (env.BERTH_DEV) server.on("upgrade", app.getUpgradeHandler());

server.listen(env.BERTH_PORT, env.BERTH_HOST, () => {
  platform.log.info({ address: server.address() }, "web is listening");
});

async function close(): Promise<void> {
  await drain(server, GRACE_MS);
  await app.close();
  await Promise.all([workers.close(), queue.close()]);
  await stop();
  process.exit(0);
}

process.once("SIGTERM", () => void close());
process.once("SIGINT", () => void close());
