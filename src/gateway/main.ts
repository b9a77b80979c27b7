/**
 * The egress gateway: carries the sandboxes' traffic, in a process without credentials. Its parent
 * speaks to it over IPC; when the parent is gone, so is it.
 */
import type { GatewayCommand, GatewayReport, PrivateTarget } from "../protocol/gateway-control";
import { SandboxProxy } from "./sandbox-proxy";

const proxies = new Map<string, SandboxProxy>();
let targets: PrivateTarget[] = [];

const report = (message: GatewayReport): void => {
  process.send?.(message);
};

function configure(command: Extract<GatewayCommand, { t: "configure" }>): void {
  targets = command.targets;
  if (command.uid !== undefined) {
    process.setgroups?.([]);
    process.setgid?.(command.uid);
    process.setuid?.(command.uid);
  }
  report({ t: "up" });
}

async function drop(id: string): Promise<void> {
  const proxy = proxies.get(id);
  proxies.delete(id);
  await proxy?.close();
}

async function serve(command: Extract<GatewayCommand, { t: "serve" }>): Promise<void> {
  const { id, socketPath, rules } = command;
  await drop(id);
  const onDenied = (denial: Extract<GatewayReport, { t: "denied" }>["denial"]) =>
    report({ t: "denied", id, denial });
  const proxy = new SandboxProxy({ socketPath, rules, targets, onDenied });
  await proxy.listen();
  proxies.set(id, proxy);
}

async function obey(command: GatewayCommand): Promise<void> {
  if (command.t === "configure") return configure(command);
  try {
    if (command.t === "serve") await serve(command);
    else await drop(command.id);
    report({ t: command.t === "serve" ? "serving" : "dropped", id: command.id });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    report({ t: "failed", id: command.id, message });
  }
}

process.on("message", (command: GatewayCommand) => void obey(command));
process.on("disconnect", () => process.exit(0));
