import type { Server } from "node:http";

/** How often connections that have become idle are looked for. */
const LOOK_MS = 100;

/**
 * Stops a server gracefully: no new connections, idle ones closed, the rest given `graceMs`.
 * Streams are cut at the end of it; their readers reconnect by index.
 */
export async function drain(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // A connection whose last answer is given would stay open until it is idle for long enough.
  const idle = setInterval(() => server.closeIdleConnections(), LOOK_MS);
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(timer);
}
