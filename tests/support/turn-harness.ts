import type { SessionEvent } from "../../src/protocol/event";
import type { Manifest } from "../../src/protocol/manifest";
import type { RuntimeCall } from "../../src/protocol/runtime-rpc";
import type { ShellCall, ShellOutcome } from "../../src/protocol/shell-rpc";
import { newUuid } from "../../src/server/platform/id";
import { type PreparedAgent, type RunnerPorts, TurnLoop } from "../../src/server/runner";
import { DeltaBatcher, NO_SECRETS, type Redactor, tailSession } from "../../src/server/sessions";
import { sweepTurns } from "../../src/server/turns";
import type { ScriptedModel } from "./scripted-model/start-scripted-model";
import type { TestPlatform } from "./test-platform";

export type Invoke = (call: RuntimeCall, signal: AbortSignal | undefined) => Promise<unknown>;

/** The shell of a session, by its id. */
export type Shell = (
  call: ShellCall,
  sessionId: string,
  signal: AbortSignal | undefined,
) => Promise<ShellOutcome>;

export interface HarnessOptions {
  manifest: Manifest;
  model: ScriptedModel;
  invoke?: Invoke;
  shell?: Shell;
  /** The workspace of each turn; one that is always there and never saved if absent. */
  workspace?: RunnerPorts["workspace"];
  redactor?: Redactor;
  slots?: number;
  timing?: RunnerPorts["timing"];
  contextTokens?: number;
}

const noShell: Shell = () => Promise.reject(new Error("this agent has no shell"));
const bareWorkspace: RunnerPorts["workspace"] = () => ({
  ready: () => Promise.resolve(),
  joined: () => undefined,
  save: (write) => write({}),
  close: () => Promise.resolve(),
});

const noTools: Invoke = () => Promise.reject(new Error("this agent has no tools"));

/** The ports of a worker whose sandbox is `invoke` and whose models are the scripted server. */
export function portsOf({
  manifest,
  model,
  invoke = noTools,
  shell = noShell,
  workspace = bareWorkspace,
  redactor = NO_SECRETS,
  timing,
  contextTokens,
}: HarnessOptions): RunnerPorts {
  const prepared: PreparedAgent = {
    manifest,
    redactor,
    models: {
      agent: "agent",
      providers: [{ name: "stub", kind: "openai-compatible", baseUrl: model.url, apiKey: "k" }],
      agentEnv: {},
      offlineModel: false,
      fetch: globalThis.fetch,
    },
  };
  return {
    deltas: new DeltaBatcher(),
    prepare: () => Promise.resolve(prepared),
    invoke: (_ref, call, { signal }) => invoke(call, signal),
    shell: (_ref, sessionId, call, { signal }) => shell(call, sessionId, signal),
    workspace,
    prefetch: () => undefined,
    ...(timing ? { timing } : {}),
    ...(contextTokens === undefined ? {} : { contextTokens }),
  };
}

/** A running turn loop, as a worker has one. */
export function startLoop(options: HarnessOptions): TurnLoop {
  const loop = new TurnLoop(newUuid(), options.slots ?? 200, portsOf(options));
  loop.start();
  return loop;
}

/** Follows a session's log until `done` says so; all events up to and including that one. */
export async function eventsUntil(
  orgId: string,
  sessionId: string,
  done: (event: SessionEvent, all: SessionEvent[]) => boolean,
  from = 0,
): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  const tail = tailSession({ orgId, sessionId, from, follow: true, format: "ndjson" });
  for await (const bytes of tail) {
    for (const line of bytes.toString("utf8").trimEnd().split("\n")) {
      const event = JSON.parse(line) as SessionEvent;
      events.push(event);
      if (done(event, events)) return events;
    }
  }
  return events;
}

/** Until the session waits for the next message. */
export const untilWaiting = (orgId: string, sessionId: string, from = 0) =>
  eventsUntil(orgId, sessionId, (event) => event.type === "session.waiting", from);

/** Takes a turn from the worker that runs it, as if that had been lost. */
export async function loseLease({ sql }: TestPlatform, turnId: string): Promise<void> {
  await sql("UPDATE turn SET lease_until = now() - interval '1 second' WHERE id = $1", [turnId]);
  await sweepTurns();
}
