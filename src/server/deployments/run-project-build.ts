import { BuildLine } from "../../project/build-line";
import type { BuildLogEntry } from "../../protocol/build-log";
import type { Diagnostic } from "../../protocol/manifest";
import { platform } from "../platform/platform";
import type { BuildJob, BuildResult } from "../sandbox";
import { findToolchain } from "./toolchain";

const BUILD_TIMEOUT_MS = 10 * 60_000;
const BUILD_MEMORY_MB = 1_024;

export type RunBuild = (job: BuildJob) => Promise<BuildResult>;

interface ProjectBuild {
  id: string;
  /** Holds `source`; receives `out`. */
  dir: string;
  runBuild: RunBuild;
  /** Root of the clone, whose `dist` holds the build's programs. */
  root: string;
  write(entry: BuildLogEntry): void;
  signal: AbortSignal;
}

/** The registry as egress has it: its host, with the port where it is not https's own. */
function registryDomain(registry: string): string {
  const { hostname, port } = new URL(registry);
  return port ? `${hostname}:${port}` : hostname;
}

const parseLine = (line: string): BuildLine | undefined => {
  try {
    return BuildLine.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
};

const whyKilled = (result: BuildResult): string => {
  if (result.killed === "memory") return `it needed more than ${BUILD_MEMORY_MB} MiB of memory`;
  if (result.killed === "timeout") return "it took longer than 10 minutes";
  return `its program ended with ${result.exitCode ?? "no code"}`;
};

/**
 * Scans, installs and bundles an extracted project in the build jail.
 * @returns what it found; an error among it means that there is no bundle
 */
export async function runProjectBuild(build: ProjectBuild): Promise<Diagnostic[]> {
  const { id, dir, write, signal } = build;
  const registry = platform().env.BERTH_NPM_REGISTRY;
  const { mounts, args } = findToolchain(build.root);
  const diagnostics: Diagnostic[] = [];
  let built = false;
  const onLine = (text: string) => {
    const line = parseLine(text);
    if (line?.type === "done") built = line.ok;
    else write(line ?? { type: "log", text });
    if (line?.type === "diagnostic") diagnostics.push(line.diagnostic);
  };
  const result = await build.runBuild({
    id,
    args,
    buildDir: dir,
    readOnly: mounts,
    env: { npm_config_registry: registry, npm_config_cache: "/build/npm-cache" },
    egressDomains: [registryDomain(registry)],
    timeoutMs: BUILD_TIMEOUT_MS,
    memoryMb: BUILD_MEMORY_MB,
    signal,
    onLine,
  });
  signal.throwIfAborted();
  const explained = diagnostics.some(({ severity }) => severity === "error");
  if ((built && result.exitCode === 0) || explained) return diagnostics;
  const message = `The build did not finish: ${whyKilled(result)}.`;
  return [
    ...diagnostics,
    { severity: "error", code: "build_failed", message, file: "package.json" },
  ];
}
