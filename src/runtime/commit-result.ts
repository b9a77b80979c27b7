import type { CallSession, CommitOutcome, RuntimeCall } from "../protocol/runtime-rpc";
import { type Bundle, singleLoaderOf } from "./definitions";
import { guestError } from "./guest-error";
import type { HostCaller } from "./host-calls";
import { createHost, type Host } from "./tool-context";

type CommitCall = Extract<RuntimeCall, { kind: "commit" }>;

interface CommitContext {
  session: Readonly<CallSession>;
  host: Host;
  reject(message: string): never;
}

class Rejection extends Error {
  override readonly name = "Rejection";
}

/** Hands a turn's final text to the project's result.ts. A rejection that it catches still counts. */
export async function commitResult(
  bundle: Bundle,
  { text, session }: CommitCall,
  host: HostCaller,
  onThrown: (text: string) => void,
): Promise<CommitOutcome> {
  let rejection: string | undefined;
  const context: CommitContext = {
    session: Object.freeze(structuredClone(session)),
    host: createHost(host),
    reject: (message) => {
      rejection = String(message);
      throw new Rejection(rejection);
    },
  };
  try {
    const definition = (await singleLoaderOf(bundle, "result")?.())?.default as
      | { commit?(text: string, context: CommitContext): unknown }
      | undefined;
    if (typeof definition?.commit !== "function") throw new Error("result.ts has no commit.");
    await definition.commit(text, context);
  } catch (thrown) {
    if (rejection === undefined) {
      const error = guestError(thrown);
      onThrown(error.stack ?? `${error.name}: ${error.message}`);
      return { outcome: "threw", message: error.message };
    }
  }
  return rejection === undefined
    ? { outcome: "accepted" }
    : { outcome: "rejected", message: rejection };
}
