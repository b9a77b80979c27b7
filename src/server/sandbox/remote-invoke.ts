import { Pool } from "undici";
import type { AgentRef } from "./agent-ref";
import type { Invoke, InvokeOptions } from "./invoke";
import { fromFailure, INVOKE_PATH, InvokeAnswer } from "./invoke-wire";
import { SandboxError } from "./sandbox-error";
import { WorkerDirectory, type WorkerPlace } from "./worker-directory";

const KEEP_ALIVE_MS = 60_000;
const CONNECT_MS = 2_000;
/** Beyond the call's own limit, which the worker keeps: for the way there and back. */
const GRACE_MS = 15_000;
const ATTEMPTS = 2;

const NOT_SENT = new Set(["ECONNREFUSED", "ENOENT", "EHOSTUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);

const poolFor = (address: string): Pool => {
  const options = { keepAliveTimeout: KEEP_ALIVE_MS, pipelining: 1 };
  return address.startsWith("/")
    ? new Pool("http://worker", {
        ...options,
        connect: { socketPath: address, timeout: CONNECT_MS },
      })
    : new Pool(`http://${address}`, { ...options, connect: { timeout: CONNECT_MS } });
};

const lost = (error: unknown): SandboxError => {
  const { code, message } = error as NodeJS.ErrnoException;
  const sent = !NOT_SENT.has(code ?? "");
  return new SandboxError("runtime_lost", `The worker was lost (${code ?? message}).`, { sent });
};

/** Calls to the workers of an installation, as `Sandboxes.invoke` has them. */
export class RemoteInvoker {
  readonly #directory = new WorkerDirectory();
  readonly #pools = new Map<string, Pool>();
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  /**
   * Runs a call on the version's worker; on the next one if that worker cannot have had it, or
   * the call changes nothing. Rejects with SandboxError.
   */
  readonly invoke: Invoke = async (ref, call, options) => {
    const body = JSON.stringify({ ref, call, timeoutMs: options.timeoutMs });
    let failure = new SandboxError("runtime_lost", "No worker is running. Start one.");
    for (const worker of await this.#candidates(ref)) {
      try {
        return await this.#send(worker, body, options);
      } catch (error) {
        failure = this.#failureOf(error, options);
        if (!mayRepeat(failure, options)) throw failure;
        this.#directory.forget();
      }
    }
    throw failure;
  };

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.close()));
  }

  async #candidates(ref: AgentRef): Promise<WorkerPlace[]> {
    return (await this.#directory.ranked(ref)).slice(0, ATTEMPTS);
  }

  #failureOf(error: unknown, { signal }: InvokeOptions): SandboxError {
    if (error instanceof SandboxError) return error;
    return signal?.aborted
      ? new SandboxError("cancelled", "The call was cancelled.", { sent: true })
      : lost(error);
  }

  async #send({ address }: WorkerPlace, body: string, options: InvokeOptions): Promise<unknown> {
    const response = await this.#pool(address).request({
      method: "POST",
      path: INVOKE_PATH,
      headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
      body,
      headersTimeout: options.timeoutMs + GRACE_MS,
      bodyTimeout: GRACE_MS,
      ...(options.signal ? { signal: options.signal } : {}),
    });
    const text = await response.body.text();
    if (response.statusCode !== 200) {
      throw new SandboxError(
        "sandbox_failed",
        `The worker refused the call: ${text.slice(0, 200)}`,
      );
    }
    const answer = InvokeAnswer.parse(JSON.parse(text));
    if (answer.error) throw fromFailure(answer.error);
    return answer.result;
  }

  #pool(address: string): Pool {
    const known = this.#pools.get(address);
    if (known) return known;
    const pool = poolFor(address);
    this.#pools.set(address, pool);
    return pool;
  }
}

const mayRepeat = (failure: SandboxError, options: InvokeOptions): boolean =>
  failure.code === "runtime_lost" &&
  !options.signal?.aborted &&
  (!failure.sent || options.repeatable === true);
