import type { RuntimeCall } from "../../protocol/runtime-rpc";
import { loadVersion } from "../agents";
import { AppError } from "../platform/errors";
import { platform } from "../platform/platform";
import type { AgentRef, Invoke, Sandboxes } from "../sandbox";
import { AgentState } from "./agent-state";
import type { Quota } from "./find-files";

const STATE_QUOTA: Quota = { bytes: 256 * 1024 * 1024, files: 20_000 };
const RENEW_MS = 1_000;
const IDLE_MS = 60_000;

/** The states of agents on one worker. At most one worker at a time has an agent's state. */
export class AgentStates {
  readonly #states = new Map<string, Promise<AgentState>>();
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly workerId: string,
    private readonly sandboxes: Pick<Sandboxes, "invoke" | "stateFolder">,
    private readonly quota = STATE_QUOTA,
  ) {
    this.#timer = setInterval(() => void this.#renew(), RENEW_MS).unref();
  }

  /**
   * Runs a call in the agent's process. One of an agent that uses its state waits until this worker
   * has it, at most as long as the call may take, and what it changed is saved before it ends.
   */
  readonly invoke: Invoke = async (ref, call, options) => {
    const run = () => this.sandboxes.invoke(ref, call, options);
    if (!(await usesState(ref, call))) return await run();
    const state = await this.#stateOf(ref);
    return await state.during(options.timeoutMs, options.signal, run);
  };

  /** Saves and gives up all states. Calls must have ended. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const state of this.#states.values()) await (await state).release();
  }

  #stateOf({ orgId, agentId, version }: AgentRef): Promise<AgentState> {
    const key = `${orgId}/${agentId}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const made = this.sandboxes
      .stateFolder({ orgId, agentId, version })
      .then((folder) => new AgentState({ orgId, agentId }, this.workerId, folder, this.quota));
    this.#states.set(key, made);
    made.catch(() => this.#states.delete(key));
    return made;
  }

  async #renew(): Promise<void> {
    for (const state of this.#states.values()) {
      try {
        await (await state).renew(IDLE_MS);
      } catch (error) {
        platform().log.warn({ err: error }, "the lease of a state will be renewed again");
      }
    }
  }
}

/** A version that is being described has no manifest yet, and its state is nobody's business. */
async function usesState(ref: AgentRef, { kind }: RuntimeCall): Promise<boolean> {
  if (kind === "describe") return false;
  try {
    const { manifest } = await loadVersion(ref);
    return manifest.persistent || manifest.readsState === true;
  } catch (error) {
    if (error instanceof AppError) return false; // the call itself says what is wrong
    throw error;
  }
}
