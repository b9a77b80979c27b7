import { createServer } from "node:http";
import next from "next";
import { createFrontDoor, drain } from "../server/api";
import { createQueueBackend, provideQueue } from "../server/jobs";
import { readEnv } from "../server/platform/env";
import { startPlatform } from "../server/platform/start-platform";
import { provideInvoke, RemoteInvoker } from "../server/sandbox";

/** How long open requests may take to end; streams end with it and are taken up elsewhere. */
const GRACE_MS = 10_000;

const env = readEnv();
const { platform, stop } = await startPlatform("web", env);
const workers = new RemoteInvoker(env.BERTH_INTERNAL_TOKEN);
provideInvoke(workers.invoke);
const queue = createQueueBackend({ databaseUrl: env.DATABASE_URL, ...platform });
provideQueue(queue);

// Next listens for upgrades on the server it is given and drops them. This one never listens, so
// that ours answers a request that merely offers another protocol, as clients of HTTP/2 do.
const httpServer = createServer();
const app = next({ dev: env.BERTH_DEV, dir: process.cwd(), httpServer });
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
