import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { GuestInit, HostFrame, RuntimeCall } from "../protocol/runtime-rpc";
import { CallServer } from "./call-server";
import { callStore } from "./call-store";
import { openChannel } from "./channel";
import { commitResult } from "./commit-result";
import { type Bundle, loadBundle } from "./definitions";
import { gateTool } from "./gate-tool";
import { guestError } from "./guest-error";
import { HostCalls } from "./host-calls";
import { instructionsText } from "./instructions";
import { captureConsole, LogFrames } from "./log-frames";
import { runTool } from "./run-tool";

/** What exists once the worker has sent the init frame. */
interface Agent {
  init: GuestInit;
  bundle: Bundle;
  logs: LogFrames;
}

let agent: Agent | undefined;

const send = openChannel(onFrame);
const host = new HostCalls(send);
const calls = new CallServer<RuntimeCall>(
  send,
  (call, { id, signal }) => callStore.run({ callId: id }, () => answer(call, loaded(), signal)),
  () => loaded().init.limits,
);

function loaded(): Agent {
  if (!agent) throw new Error("The agent process was called before it was initialised.");
  return agent;
}

async function initialise(init: GuestInit): Promise<void> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, init.env);
  if (init.egress) {
    process.env.BERTH_EGRESS_SOCKET = init.egress.socket;
    require(init.egress.shim);
  }
  process.chdir(projectFolder(init.bundle));
  const logs = new LogFrames(send, init.limits.logBytesPerSecond);
  captureConsole(logs);
  reportUncaught(logs);
  agent = { init, bundle: await loadBundle(init.bundle), logs };
  send({ t: "ready" });
}

/** The project's files travel with the bundle and are read relative to the working directory. */
function projectFolder(bundle: string): string {
  const project = join(dirname(bundle), "project");
  return existsSync(project) ? project : dirname(bundle);
}

function reportUncaught(logs: LogFrames): void {
  const report = (what: string) => (thrown: unknown) => {
    const error = guestError(thrown);
    logs.write("error", `${what}: ${error.stack ?? `${error.name}: ${error.message}`}`);
  };
  process.on("uncaughtException", report("uncaught exception"));
  process.on("unhandledRejection", report("unhandled rejection"));
}

async function answer(call: RuntimeCall, { bundle, init, logs }: Agent, signal: AbortSignal) {
  switch (call.kind) {
    case "describe":
      // Loaded only here: its schema libraries would slow every other start.
      return (await import("./describe")).describe(bundle);
    case "instructions":
      return instructionsText(bundle, call.session);
    case "commit":
      return commitResult(bundle, call, host.call, (text) => logs.write("error", text));
    case "gate":
      return gateTool(bundle, call);
    case "tool":
      return runTool(call, {
        bundle,
        host: host.call,
        folders: init,
        signal,
        onThrown: (text) => logs.write("error", text),
      });
  }
}

function onFrame(frame: HostFrame): void {
  switch (frame.t) {
    case "init":
      initialise(frame).catch((thrown: unknown) =>
        send({ t: "initerr", error: guestError(thrown) }),
      );
      return;
    case "call":
    case "cancel":
    case "grant":
      calls.onFrame(frame);
      return;
    case "ping":
      send({ t: "pong", n: frame.n });
      return;
    case "hres":
      host.settle(frame);
      return;
  }
}
