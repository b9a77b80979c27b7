import { Worker } from "node:worker_threads";
import { gatewaySocket, PROXY_PORT } from "./gateway-socket";
import { WITHOUT_SHIM } from "./workers";

/** Copies bytes between a loopback port and the gateway's socket; tells when it listens. */
const SOURCE = `
const { workerData } = require("node:worker_threads");
const net = require("node:net");
const flag = new Int32Array(workerData.flag);
const tell = (value) => { Atomics.store(flag, 0, value); Atomics.notify(flag, 0); };
const server = net.createServer((client) => {
  const gateway = net.connect(workerData.gateway);
  client.on("error", () => gateway.destroy());
  gateway.on("error", () => client.destroy());
  client.pipe(gateway);
  gateway.pipe(client);
});
server.on("error", () => tell(2));
server.listen(workerData.port, "127.0.0.1", () => tell(1));
`;
const START_MS = 2000;

let started = false;

/**
 * Starts, once, the HTTP proxy for child processes. It runs on a thread of its own so that it also
 * serves a child that this thread waits for synchronously. A port already taken means that a
 * parent process runs one.
 */
export function ensureLoopbackProxy(): void {
  if (started) return;
  started = true;
  const flag = new SharedArrayBuffer(4);
  const worker = new Worker(SOURCE, {
    eval: true,
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 16 },
    workerData: { gateway: gatewaySocket(), port: PROXY_PORT, flag, [WITHOUT_SHIM]: true },
  });
  worker.unref();
  Atomics.wait(new Int32Array(flag), 0, 0, START_MS);
}
