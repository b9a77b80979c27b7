import type { HookDefinition } from "./hooks";

/** A project's own store of notes. */
export type MemoryBackend = object;

export interface MemoryHookOptions {
  backend?: MemoryBackend | undefined;
  /** Whose notes are recalled: the principal's own, or those of all who talk to the agent. */
  scope?: "principal" | "agent" | undefined;
}

const isOptions = (value: object): value is MemoryHookOptions =>
  "backend" in value || "scope" in value || Object.keys(value).length === 0;

/** Declares the hook that keeps notes and recalls them in the next session. */
export const memoryHook = (backend: MemoryHookOptions | MemoryBackend = {}): HookDefinition => {
  const options = isOptions(backend) ? backend : { backend };
  const scope = options.scope ?? "principal";
  return {
    events: {},
    memory: options.backend === undefined ? { scope } : { scope, backend: options.backend },
  };
};
