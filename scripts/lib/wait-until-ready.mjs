import { Problem } from "./problem.mjs";

const POLL_MS = 100;

/** What `/readyz` says now: undefined when it is ready, else why not. */
async function notReady(url) {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) });
    return response.ok ? undefined : `${response.status} ${await response.text()}`;
  } catch (error) {
    return error.cause?.code ?? error.message;
  }
}

/** Resolves when `/readyz` answers 200; after `timeoutMs` throws with its last answer. */
export async function waitUntilReady(url, { timeoutMs, begun }) {
  const deadline = Date.now() + timeoutMs;
  for (let reason = await notReady(url); reason; reason = await notReady(url)) {
    if (begun()) return;
    if (Date.now() > deadline) {
      throw new Problem(
        `The services are not ready after ${timeoutMs / 1000} s: ${reason}`,
        "Their messages above say why. If the state is damaged, --fresh starts with an empty one.",
      );
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
