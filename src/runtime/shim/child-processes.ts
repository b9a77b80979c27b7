import childProcess from "node:child_process";
import { promisify } from "node:util";
import { gatewayEnv, PROXY_PORT } from "./gateway-socket";
import { ensureLoopbackProxy } from "./loopback-proxy";

type AnyFunction = (...args: unknown[]) => unknown;
type Env = Record<string, string | undefined>;

const PROXY = `http://127.0.0.1:${PROXY_PORT}`;
const DIRECT = "localhost,127.0.0.1,::1";
const PROXY_ENV: Env = {
  HTTP_PROXY: PROXY,
  HTTPS_PROXY: PROXY,
  http_proxy: PROXY,
  https_proxy: PROXY,
  NO_PROXY: DIRECT,
  no_proxy: DIRECT,
};
const SPAWNERS = [
  "spawn",
  "exec",
  "execFile",
  "fork",
  "spawnSync",
  "execSync",
  "execFileSync",
] as const;

function childEnv(given: Env | undefined, shim: string): Env {
  const env = { ...PROXY_ENV, ...(given ?? process.env), ...gatewayEnv() };
  const options = env.NODE_OPTIONS ?? "";
  if (!options.includes(shim)) env.NODE_OPTIONS = `${options} --require ${shim}`.trim();
  return env;
}

const isOptions = (arg: unknown): arg is { env?: Env } =>
  typeof arg === "object" && arg !== null && !Array.isArray(arg);

/** The arguments with the child's environment put into their options, which are made if absent. */
function withChildEnv(args: readonly unknown[], shim: string): unknown[] {
  const changed = [...args];
  const at = changed.findIndex((arg, index) => index > 0 && isOptions(arg));
  const options = changed[at];
  if (isOptions(options)) {
    changed[at] = { ...options, env: childEnv(options.env, shim) };
    return changed;
  }
  const callback = changed.findIndex((arg, index) => index > 0 && typeof arg === "function");
  const end = Array.isArray(changed[1]) ? 2 : 1;
  changed.splice(callback > 0 ? callback : end, 0, { env: childEnv(undefined, shim) });
  return changed;
}

function wrap(original: AnyFunction, shim: string): AnyFunction {
  return function spawner(this: unknown, ...args: unknown[]) {
    ensureLoopbackProxy();
    return original.apply(this, withChildEnv(args, shim));
  };
}

/**
 * Gives child processes proxy settings and, for Node, this shim. The process's own environment
 * stays as it is: clients that read proxy variables themselves would otherwise use them here too.
 */
export function installInChildProcesses(shim: string): void {
  for (const name of SPAWNERS) {
    const original = childProcess[name] as unknown as AnyFunction;
    const wrapped = wrap(original, shim);
    const promised = (original as { [promisify.custom]?: AnyFunction })[promisify.custom];
    if (promised) Object.assign(wrapped, { [promisify.custom]: wrap(promised, shim) });
    Object.assign(childProcess, { [name]: wrapped });
  }
}
