import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Whether `port` can be listened on at `host` now. */
export function portIsFree(port, host = "127.0.0.1") {
  return new Promise((resolve) => {
    const server = createServer();
    server.on("error", () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}

// Below the ports that systems give to outgoing connections: one of those may be taken again between
// finding it and listening on it, and while its process restarts.
const FIRST = 15_000;
const LAST = 32_000;
const TRIES = 100;

/** A TCP port of the loopback interface that was free a moment ago. */
export async function freePort() {
  for (let tried = 0; tried < TRIES; tried++) {
    const port = randomInt(FIRST, LAST);
    if (await portIsFree(port)) return port;
  }
  throw new Error(`no free port between ${FIRST} and ${LAST} in ${TRIES} tries`);
}
