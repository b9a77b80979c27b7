import { loadVersion } from "../server/agents";
import type { Platform } from "../server/platform/platform";
import type { AgentRef, SandboxLog } from "../server/sandbox";
import { type Redactor, runtimeRedactor } from "../server/secrets";

/** How long one look at the secrets serves a stream of lines, in milliseconds. */
const FRESH_MS = 1_000;

/** Writes what agents print to the worker's log, without the values of their secrets. */
export class AgentLog {
  readonly #redactors = new Map<string, { until: number; redactor: Promise<Redactor> }>();

  constructor(private readonly platform: Platform) {}

  /** Never rejects: a line whose secrets cannot be known is dropped, and that is said. */
  async write(ref: AgentRef, { level, text }: SandboxLog): Promise<void> {
    const { log } = this.platform;
    const { orgId, agentId, version } = ref;
    try {
      const redactor = await this.#redactorOf(ref);
      log[level]({ orgId, agentId, version, text: redactor.text(text) }, "agent");
    } catch (error) {
      log.warn({ err: error, orgId, agentId, version }, "a line of an agent was dropped");
    }
  }

  #redactorOf(ref: AgentRef): Promise<Redactor> {
    const key = `${ref.orgId}/${ref.agentId}/${ref.version}`;
    const at = this.platform.clock.now().getTime();
    const known = this.#redactors.get(key);
    if (known && known.until > at) return known.redactor;
    for (const [old, { until }] of this.#redactors) if (until <= at) this.#redactors.delete(old);
    const redactor = this.#load(ref);
    this.#redactors.set(key, { until: at + FRESH_MS, redactor });
    return redactor;
  }

  async #load({ orgId, agentId, version }: AgentRef): Promise<Redactor> {
    const found = await loadVersion({ orgId, agentId, version });
    const secretNames = found?.manifest?.secretNames ?? [];
    return runtimeRedactor({ orgId, agentId, secretNames });
  }
}
