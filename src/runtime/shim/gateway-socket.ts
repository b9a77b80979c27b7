/** Port of the loopback proxy that child processes are pointed at. */
export const PROXY_PORT = 3128;

/** Path of the gateway's socket. Read at load: tenant code may clear the environment later. */
const path = process.env.BERTH_EGRESS_SOCKET ?? "/run/berth/egress.sock";
const tunnelsLoopback = process.env.BERTH_EGRESS_LOOPBACK === "1";

export const gatewaySocket = (): string => path;

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127\./.test(host);

/** Whether a connection stays inside the namespace. */
export const staysInside = (host: string, port: number): boolean =>
  isLoopback(host) && (!tunnelsLoopback || port === PROXY_PORT);

/** What another process or thread needs to find the gateway. */
export const gatewayEnv = (): Record<string, string> => ({
  BERTH_EGRESS_SOCKET: path,
  ...(tunnelsLoopback ? { BERTH_EGRESS_LOOPBACK: "1" } : {}),
});
