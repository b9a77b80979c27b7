import type { RuntimeCall } from "../../src/protocol/runtime-rpc";
import type { Bundle } from "../../src/runtime/definitions";
import { gateTool } from "../../src/runtime/gate-tool";
import { runTool } from "../../src/runtime/run-tool";
import { type Invoke, SandboxError } from "../../src/server/sandbox";

/** Tools as their modules export them, by name. */
export const bundleOf = (tools: Record<string, unknown>): Bundle => ({
  definitions: {
    tools: Object.fromEntries(
      Object.entries(tools).map(([name, tool]) => [name, () => Promise.resolve({ default: tool })]),
    ),
  },
  files: {},
});

/**
 * The runtime's own code over a bundle, in this process: what an agent process answers, without its
 * walls. A test may look into its tools and hold them. `before` sees each call first.
 */
export function guestInvoke(
  bundle: Bundle,
  before: (call: RuntimeCall) => void = () => {},
): Invoke {
  return async (_ref, call, { signal }) => {
    before(call);
    if (call.kind === "gate") return await gateTool(bundle, call);
    if (call.kind !== "tool") throw new Error(`no ${call.kind} here`);
    const outcome = runTool(call, {
      bundle,
      host: () => Promise.reject(new Error("no host here")),
      folders: { workspaceRoot: "/workspace", stateRoot: "/state" },
      signal: signal ?? new AbortController().signal,
      onThrown: () => undefined,
    });
    return await Promise.race([outcome, ending(signal)]);
  };
}

/** Rejects as a sandbox does once nobody wants the call any more. */
const ending = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_resolve, reject) => {
    const end = () => reject(new SandboxError("cancelled", "It was cancelled.", { sent: true }));
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
