import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import type { HostFrame } from "../../protocol/runtime-rpc";
import type { ShellCall, ShellInit, ShellOutcome } from "../../protocol/shell-rpc";
import { CallServer, type RunningCall } from "../call-server";
import { openChannel } from "../channel";
import { guestError } from "../guest-error";
import { editFile } from "./edit-file";
import { glob } from "./glob";
import { grep } from "./grep";
import { listFolder } from "./list-folder";
import { killGroups } from "./process-groups";
import { readFile } from "./read-file";
import { Refusal } from "./refusal";
import { runScript } from "./run-script";
import { runShell } from "./run-shell";
import { Workspace } from "./workspace";
import { writeFile } from "./write-file";

/** What exists once the worker has sent the init frame. */
interface Shell {
  workspace: Workspace;
  interpreter: string;
  limits: ShellInit["limits"];
}

process.on("exit", killGroups);
process.on("SIGTERM", () => process.exit(0));

let shell: Shell | undefined;

const send = openChannel<HostFrame<ShellInit, ShellCall>>(onFrame);
const calls = new CallServer<ShellCall>(send, answer, () => opened().limits);

function opened(): Shell {
  if (!shell) throw new Error("The shell was called before it was initialised.");
  return shell;
}

function hasProgram(name: string): boolean {
  return (process.env.PATH ?? "").split(":").some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

async function initialise({ env, egress, workspace, limits }: ShellInit): Promise<void> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  if (egress) {
    process.env.BERTH_EGRESS_SOCKET = egress.socket;
    require(egress.shim);
  }
  process.umask(0o022);
  const interpreter = hasProgram("bash") ? "bash" : "sh";
  shell = { workspace: await Workspace.open(workspace), interpreter, limits };
  send({ t: "ready" });
}

function run(call: ShellCall, { signal, ...running }: RunningCall): Promise<ShellOutcome> {
  const { workspace, interpreter, limits } = opened();
  switch (call.kind) {
    case "read":
      return readFile(workspace, call);
    case "write":
      return writeFile(workspace, call);
    case "edit":
      return editFile(workspace, call);
    case "ls":
      return listFolder(workspace, call);
    case "glob":
      return glob(workspace, call, signal);
    case "grep":
      return grep(workspace, call, signal);
    case "shell": {
      const timeoutMs = Math.min(call.timeoutMs ?? running.timeoutMs, running.timeoutMs);
      return runShell(workspace, interpreter, call, { timeoutMs, signal });
    }
    case "script": {
      const timeoutMs = Math.min(call.timeoutMs ?? running.timeoutMs, running.timeoutMs);
      const { maxResultBytes } = limits;
      return runScript(workspace, interpreter, call, { timeoutMs, signal, maxResultBytes });
    }
  }
}

async function answer(call: ShellCall, running: RunningCall): Promise<ShellOutcome> {
  try {
    return await run(call, running);
  } catch (thrown) {
    if (thrown instanceof Refusal) return { ok: false, message: thrown.message };
    throw thrown;
  }
}

function onFrame(frame: HostFrame<ShellInit, ShellCall>): void {
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
      // A shell asks its worker for nothing.
      return;
  }
}
