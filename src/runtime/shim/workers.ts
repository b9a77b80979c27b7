import workerThreads, { type WorkerOptions } from "node:worker_threads";
import { gatewayEnv } from "./gateway-socket";

/** Member of `workerData` that marks the shim's own worker, which must reach the socket itself. */
export const WITHOUT_SHIM = "berth:without-shim";

/** Flags of the main thread that a worker does not accept. */
const MAIN_ONLY = /^--(max|optimize-for-size|snapshot)/;

function shimmed(options: WorkerOptions, shim: string): WorkerOptions {
  const data: unknown = options.workerData;
  if (typeof data === "object" && data !== null && WITHOUT_SHIM in data) return options;
  const inherited = (options.execArgv ?? process.execArgv).filter((flag) => !MAIN_ONLY.test(flag));
  const env = typeof options.env === "object" ? { env: { ...options.env, ...gatewayEnv() } } : {};
  return { ...options, ...env, execArgv: [...inherited, "--require", shim] };
}

/** Loads the shim in every worker thread as well. */
export function installInWorkers(shim: string): void {
  const Original = workerThreads.Worker;
  workerThreads.Worker = class Worker extends Original {
    constructor(file: string | URL, options: WorkerOptions = {}) {
      super(file, shimmed(options, shim));
    }
  };
}
