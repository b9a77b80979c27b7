import type { Server } from "node:http";

/**
 * Stops a server gracefully: no new connections, idle ones closed, the rest given `graceMs`.
 * Streams are cut at the end of it; their readers reconnect by index.
 */
export async function drain(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}
