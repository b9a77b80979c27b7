import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Description } from "../../protocol/description";
import type { SandboxDriver, SandboxLog } from "./driver";
import { DEFAULT_LIMITS } from "./limits";

const DESCRIBE_MS = 60_000;

export interface DescribeOptions {
  driver: SandboxDriver;
  /** Folder that holds `bundle.mjs`. */
  bundleDir: string;
  /** The agent's secrets: a module may read them while it loads. */
  env: Record<string, string>;
  onLog?: (log: SandboxLog) => void;
}

/**
 * Loads every definition of a bundle in a sandbox of its own, without a way out, and says what each
 * is. Rejects with SandboxError when the bundle cannot be loaded at all, ZodError when what it
 * answered is no description.
 */
export async function describeBundle(options: DescribeOptions): Promise<Description> {
  const folder = await mkdtemp(join(tmpdir(), "berth-describe-"));
  const id = `d${randomBytes(8).toString("hex")}`;
  try {
    await chmod(folder, 0o711);
    const workspaceRoot = join(folder, "workspace");
    await mkdir(workspaceRoot);
    const sandbox = await options.driver.start(
      {
        id,
        owner: id,
        bundleDir: options.bundleDir,
        workspaceRoot,
        stateDir: join(folder, "state"),
        env: options.env,
        egressDomains: [],
        limits: DEFAULT_LIMITS,
      },
      {
        onHostCall: ({ method }) =>
          Promise.reject(
            Object.assign(new Error(`${method} cannot be used while definitions load.`), {
              code: "not_available",
            }),
          ),
        onLog: (log) => options.onLog?.(log),
      },
    );
    try {
      const answer = await sandbox.call({ kind: "describe" }, { timeoutMs: DESCRIBE_MS });
      return Description.parse(answer);
    } finally {
      await sandbox.kill("it is described");
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
