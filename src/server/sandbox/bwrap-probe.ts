import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { DriverCapabilities, Sandbox, SandboxHost, SandboxSpec } from "./driver";
import { DEFAULT_LIMITS } from "./limits";
import { SandboxError } from "./sandbox-error";

const run = promisify(execFile);

type Start = (spec: SandboxSpec, host: SandboxHost) => Promise<Sandbox>;

/** What the canary saw from inside; every member must be as a closed sandbox makes it. */
interface Seen {
  file: string;
  connection: string;
  seccomp: string;
  capabilities: string;
  uid: number;
}

const CANARY = `
import { readFileSync } from "node:fs";
import { connect } from "node:net";
const read = (path) => { try { return readFileSync(path, "utf8"); } catch (error) { return error.code; } };
const dial = (port) => new Promise((resolve) => {
  const socket = connect(port, "127.0.0.1");
  socket.on("connect", () => resolve("connected"));
  socket.on("error", (error) => resolve(error.code));
});
const status = (name) => new RegExp("^" + name + ":\\\\s+(\\\\S+)", "m").exec(read("/proc/self/status"))?.[1] ?? "";
const canary = { default: { description: "canary", execute: async ({ path, port }) => ({
  file: read(path), connection: await dial(port), seccomp: status("Seccomp"),
  capabilities: status("CapEff"), uid: process.getuid(),
}) } };
export const definitions = { tools: { canary: async () => canary } };
export const files = {};
`;

const INSTALL: Record<string, string> = {
  "apt-get": "apt-get install -y bubblewrap",
  dnf: "dnf install -y bubblewrap",
  apk: "apk add bubblewrap",
  pacman: "pacman -S --noconfirm bubblewrap",
};

async function has(program: string): Promise<boolean> {
  try {
    await run("which", [program]);
    return true;
  } catch {
    return false;
  }
}

/** The command that installs bubblewrap on this machine. */
export async function bubblewrapInstallCommand(): Promise<string> {
  for (const [manager, command] of Object.entries(INSTALL)) {
    if (await has(manager)) return process.getuid?.() === 0 ? command : `sudo ${command}`;
  }
  return "install the package bubblewrap";
}

async function requirePrograms(): Promise<void> {
  if (process.platform !== "linux") {
    throw new SandboxError(
      "sandbox_failed",
      "Sandboxes need Linux; on other systems use a container or --unsafe-sandbox.",
    );
  }
  if (!(await has("bwrap"))) {
    throw new SandboxError(
      "sandbox_failed",
      `bubblewrap is not installed. Run: ${await bubblewrapInstallCommand()}`,
    );
  }
  if (!(await has("prlimit"))) {
    throw new SandboxError(
      "sandbox_failed",
      "prlimit is not installed. Run: apt-get install -y util-linux",
    );
  }
}

function startError(error: unknown): SandboxError {
  const message = error instanceof Error ? error.message : String(error);
  const userns = /user namespace|uid map|clone|No permissions|Operation not permitted/i.test(
    message,
  );
  const hint = userns
    ? " User namespaces seem to be refused here: allow them with `sysctl -w kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0` (those of the two that exist), or in Docker run with `--security-opt seccomp=unconfined --security-opt systempaths=unconfined`."
    : "";
  return new SandboxError(
    "sandbox_failed",
    `A test sandbox could not be started: ${message}${hint}`,
  );
}

function holes(seen: Seen): string[] {
  const found: string[] = [];
  if (seen.file !== "ENOENT") found.push("it could read a file of the host");
  if (seen.connection !== "ECONNREFUSED") found.push("it could reach a port of the host");
  if (seen.seccomp !== "2") found.push("the system call filter is not active");
  if (!/^0+$/.test(seen.capabilities)) found.push("it kept capabilities");
  if (seen.uid !== 1000) found.push("it runs as an unexpected user");
  return found;
}

async function listen(): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { port, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

const CANARY_HOST: SandboxHost = {
  onHostCall: () => Promise.reject(new Error("the canary has no host")),
  onLog: () => undefined,
};
const CANARY_SCOPE = {
  toolCallId: "canary",
  workspace: "canary",
  session: {
    id: "canary",
    channel: "probe",
    mode: "task" as const,
    auth: { principal: "probe" },
    dryRun: false,
  },
};

async function lookAround(start: Start, folder: string): Promise<Seen> {
  const bundleDir = join(folder, "app");
  const workspaceRoot = join(folder, "workspace");
  await mkdir(bundleDir);
  await mkdir(workspaceRoot);
  await writeFile(join(bundleDir, "bundle.mjs"), CANARY);
  const path = join(folder, "secret");
  await writeFile(path, "a file of the host", { mode: 0o644 });
  const listener = await listen();
  const spec: SandboxSpec = {
    id: `probe-${process.pid}-${Date.now()}`,
    owner: "probe",
    bundleDir,
    workspaceRoot,
    stateDir: join(folder, "state"),
    env: {},
    egressDomains: [],
    limits: DEFAULT_LIMITS,
  };
  try {
    const sandbox = await start(spec, CANARY_HOST);
    try {
      const input = { path, port: listener.port };
      const call = {
        kind: "tool",
        name: "canary",
        input,
        scope: CANARY_SCOPE,
        approved: true,
      } as const;
      const outcome = await sandbox.call(call, { timeoutMs: 10_000 });
      return (outcome as { result: Seen }).result;
    } finally {
      await sandbox.kill("the probe is done");
    }
  } finally {
    await listener.close();
  }
}

/** Starts a canary and has it try the walls. Throws, saying what to do, when one does not hold. */
export async function probeBwrap(start: Start): Promise<DriverCapabilities> {
  await requirePrograms();
  const folder = await mkdtemp(join(tmpdir(), "berth-probe-"));
  await chmod(folder, 0o711);
  try {
    const seen = await lookAround(start, folder).catch((error: unknown) => {
      throw startError(error);
    });
    const found = holes(seen);
    if (found.length > 0) {
      throw new SandboxError(
        "sandbox_failed",
        `The sandbox is not tight here: ${found.join("; ")}.`,
      );
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const root = process.getuid?.() === 0;
  const reasons = [
    "memory is watched, not limited by a cgroup",
    "CPU is bounded by deadlines only",
  ];
  if (!root) reasons.push("all sandboxes share this process's user, as it is not root");
  return {
    strength: "namespace",
    egress: "enforced",
    memory: "watchdog",
    cpu: "deadline-only",
    pids: "rlimit",
    perTenantUid: root,
    reasons,
  };
}
