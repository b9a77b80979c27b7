import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { bundleOptions } from "../../scripts/lib/build-bundles.mjs";
import { BUNDLES } from "../../scripts/lib/bundles.mjs";
import { installCommand } from "../../scripts/lib/system-package.mjs";
import type { EgressDenial, PrivateTarget } from "../../src/protocol/gateway-control";
import type { HostCall, RuntimeCall, ToolOutcome } from "../../src/protocol/runtime-rpc";
import { type Gateway, startGateway } from "../../src/server/egress";
import {
  createBwrapDriver,
  createUnsafeDriver,
  DEFAULT_LIMITS,
  type Sandbox,
  type SandboxDriver,
  type SandboxHost,
  type SandboxLimits,
  type SandboxLog,
} from "../../src/server/sandbox";
import { canSandbox } from "./capabilities";

/**
 * Whether the tests that need bubblewrap can run. Where they cannot, says how to change that;
 * on CI that is a failure instead.
 */
export function requireBubblewrap(): boolean {
  if (canSandbox) return true;
  const message = `bubblewrap cannot be used here. Run: ${installCommand("bubblewrap")}`;
  if (process.env.CI === "1" || process.env.CI === "true") throw new Error(message);
  process.stderr.write(`SKIPPED sandbox tests: ${message}\n`);
  return false;
}

const PROGRAMS = [
  "src/gateway/main.ts",
  "src/runtime/main.ts",
  "src/runtime/shell/main.ts",
  "src/runtime/net-shim.ts",
];

/** Tools a test bundle has: `run` evaluates code inside, the rest exercise the contract. */
const BUNDLE = `
import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
const AsyncFunction = (async () => {}).constructor;
const tool = (execute, more = {}) => async () => ({ default: { description: "test", execute, ...more } });
const number = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
export const definitions = {
  agent: async () => ({ default: { name: "test", instructions: "Be brief." } }),
  tools: {
    run: tool(({ code }, ctx) => new AsyncFunction("require", "ctx", code)(require, ctx)),
    echo: tool((input) => input),
    gated: tool(() => "ran", { needsApproval: true }),
    faulty: tool(() => "ran", { needsApproval: () => { throw new Error("no"); } }),
    counted: tool(({ n }) => n + 1, { inputSchema: number }),
    odd: tool((input) => input, { inputSchema: { type: "nonsense" } }),
    late: async () => { throw new Error("needs " + process.env.LATE_TOKEN.length); },
  },
};
export const files = { "tools/late": "bot/tools/late.ts" };
`;

export interface HarnessOptions {
  driver: "bwrap" | "unsafe-process";
  domains?: string[];
  targets?: PrivateTarget[];
  limits?: Partial<SandboxLimits>;
  env?: Record<string, string>;
  bundle?: string;
  /** Mount the host's programs read-only, so that an attack has perl and a shell. */
  hostPrograms?: boolean;
  onHostCall?: (call: HostCall, during: RuntimeCall | undefined) => Promise<unknown>;
}

const HOST_PROGRAMS = ["/usr", "/bin", "/lib", "/lib64", "/sbin"]
  .filter((path) => existsSync(path))
  .map((path) => ({ source: path, target: path }));

let counter = 0;

/** A driver, a gateway and folders, ready to start sandboxes over one small bundle. */
export class SandboxHarness {
  readonly logs: SandboxLog[] = [];

  private constructor(
    readonly folder: string,
    readonly driver: SandboxDriver,
    readonly gateway: Gateway,
    readonly denials: EgressDenial[],
    readonly options: HarnessOptions,
  ) {}

  static async open(options: HarnessOptions): Promise<SandboxHarness> {
    const folder = await mkdtemp(join(tmpdir(), "berth-test-"));
    await chmod(folder, 0o711);
    const programs = BUNDLES.filter(({ entry }) => PROGRAMS.includes(entry));
    for (const bundle of programs) {
      const outfile = join(folder, bundle.outfile);
      await build(bundleOptions({ ...bundle, outfile }));
    }
    const denials: EgressDenial[] = [];
    const gateway = await startGateway({
      entry: join(folder, "dist/gateway.mjs"),
      targets: options.targets ?? [],
      onDenied: (_id, denial) => denials.push(denial),
    });
    const create = options.driver === "bwrap" ? createBwrapDriver : createUnsafeDriver;
    const driver = create({
      gateway,
      runtimeDir: join(folder, "dist/runtime"),
      readOnly: options.hostPrograms ? HOST_PROGRAMS : [],
    });
    const harness = new SandboxHarness(folder, driver, gateway, denials, options);
    await mkdir(join(folder, "app"));
    await writeFile(join(folder, "app/bundle.mjs"), options.bundle ?? BUNDLE);
    return harness;
  }

  get bundleDir(): string {
    return join(this.folder, "app");
  }

  /** Starts a sandbox for an owner; sandboxes of different owners are siblings. */
  async start(owner = "org/agent", more: Partial<HarnessOptions> = {}): Promise<Sandbox> {
    const options = { ...this.options, ...more };
    const id = `t${process.pid}-${++counter}`;
    const workspaceRoot = join(this.folder, id, "live");
    await mkdir(workspaceRoot, { recursive: true });
    await chmod(join(this.folder, id), 0o711);
    const host: SandboxHost = {
      onHostCall: options.onHostCall ?? (() => Promise.reject(new Error("no host calls here"))),
      onLog: (log) => this.logs.push(log),
    };
    const sandbox = await this.driver.start(
      {
        id,
        owner,
        bundleDir: this.bundleDir,
        workspaceRoot,
        stateDir: join(this.folder, id, "state"),
        env: {
          ...(options.hostPrograms ? { PATH: "/opt/node/bin:/usr/bin:/bin" } : {}),
          ...options.env,
        },
        egressDomains: options.domains ?? [],
        limits: { ...DEFAULT_LIMITS, ...options.limits },
      },
      host,
    );
    return sandbox;
  }

  async close(): Promise<void> {
    await this.driver.close();
    await this.gateway.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A tool call as a turn would make it. */
export const toolCall = (name: string, input: unknown, approved = false): RuntimeCall => ({
  kind: "tool",
  name,
  input,
  approved,
  scope: {
    toolCallId: "call_test",
    workspace: "ses_test",
    session: {
      id: "ses_test",
      channel: "http",
      mode: "chat",
      auth: { principal: "user:test" },
      dryRun: false,
    },
  },
});

export const callTool = async (
  sandbox: Sandbox,
  name: string,
  input: unknown,
  timeoutMs = 10_000,
): Promise<ToolOutcome> =>
  (await sandbox.call(toolCall(name, input), { timeoutMs })) as ToolOutcome;

/** What code returns that runs inside the sandbox as the body of an async function. */
export async function runInside(
  sandbox: Sandbox,
  code: string,
  timeoutMs?: number,
): Promise<unknown> {
  const outcome = await callTool(sandbox, "run", { code }, timeoutMs);
  if (outcome.outcome === "returned") return outcome.result;
  throw new Error("message" in outcome ? outcome.message : outcome.outcome);
}
