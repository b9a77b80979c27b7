import type { SocketConnectOpts } from "node:net";

/** The target of a `connect` call; no host and port when it is not for the network. */
export interface ConnectTarget {
  host?: string;
  port?: number;
  listener?: () => void;
}

type Options = Partial<Extract<SocketConnectOpts, { port: number }>> & {
  path?: string;
  hostname?: string;
};

function fromOptions(options: Options, listener: unknown): ConnectTarget {
  const listen = typeof listener === "function" ? { listener: listener as () => void } : {};
  if (options.path || options.port === undefined) return listen;
  const host = options.host || options.hostname || "localhost";
  return { host, port: Number(options.port), ...listen };
}

/** Reads the overloads of `net.Socket#connect`, and the normalised pair Node passes internally. */
export function connectTarget(args: readonly unknown[]): ConnectTarget {
  const [first, second] = args;
  if (Array.isArray(first)) return fromOptions((first[0] ?? {}) as Options, first[1]);
  if (typeof first === "object" && first !== null) return fromOptions(first as Options, second);
  if (typeof first === "string" && !(Number(first) >= 0)) return {};
  const host = typeof second === "string" ? { host: second } : {};
  const listener = args.find((arg) => typeof arg === "function");
  return fromOptions({ port: Number(first), ...host }, listener);
}
