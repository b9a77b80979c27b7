/** What the agent process offers to SDK functions that need the platform. */
export interface Platform {
  call(method: string, params: unknown): Promise<unknown>;
}

/** Global symbol under which the agent process publishes its `Platform`. */
export const PLATFORM = Symbol.for("openberth.platform");

/** The platform of this process. Throws outside Berth, naming what was called. */
export const platformFor = (caller: string): Platform => {
  const found = (globalThis as { [PLATFORM]?: Platform })[PLATFORM];
  if (found === undefined) throw new Error(`${caller}() works only inside a running Berth agent`);
  return found;
};
