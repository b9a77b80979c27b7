import { join } from "node:path";
import type { CallScope, CallSession } from "../protocol/runtime-rpc";
import { type Artifacts, createArtifacts } from "./artifacts";
import { notAvailable } from "./coded-error";
import type { Bundle } from "./definitions";
import { createFiles, type Files } from "./files";
import type { HostCaller } from "./host-calls";
import { createKv, type Kv } from "./kv";

type Unavailable = () => never;

export interface Host {
  kv: Kv;
  files: Files;
  mcp: Record<"names" | "listTools" | "callTool", Unavailable>;
  github: { getOctokit: Unavailable };
  slack: { getClient: Unavailable };
  reminders: Record<"create" | "list" | "cancel", Unavailable>;
  otel: Record<"setAttributes" | "increment" | "record", Unavailable>;
}

export interface ToolContext {
  toolCallId: string;
  session: Readonly<CallSession>;
  workspaceDir: string;
  stateRoot: string;
  host: Host;
  artifacts: Artifacts;
  signal: AbortSignal;
  now(): Date;
  send: Unavailable;
  getSession: Unavailable;
}

/** Where the process finds its folders. */
export interface Folders {
  workspaceRoot: string;
  stateRoot: string;
}

/** What the context of a call is made of. */
export interface ContextServices {
  bundle: Bundle;
  host: HostCaller;
  folders: Folders;
  signal: AbortSignal;
}

/** Members that answer every call with `not_available`, naming themselves. */
function unavailable<K extends string>(
  prefix: string,
  names: readonly K[],
): Record<K, Unavailable> {
  const member =
    (name: string): Unavailable =>
    () => {
      throw notAvailable(`${prefix}.${name}`);
    };
  return Object.fromEntries(names.map((name) => [name, member(name)])) as Record<K, Unavailable>;
}

/** `ctx.host` of whatever runs in the process. */
export function createHost(host: HostCaller): Host {
  return {
    kv: createKv(host),
    files: createFiles(host),
    mcp: unavailable("ctx.host.mcp", ["names", "listTools", "callTool"]),
    github: unavailable("ctx.host.github", ["getOctokit"]),
    slack: unavailable("ctx.host.slack", ["getClient"]),
    reminders: unavailable("ctx.host.reminders", ["create", "list", "cancel"]),
    otel: unavailable("ctx.host.otel", ["setAttributes", "increment", "record"]),
  };
}

/** The second argument of a tool's `execute`. */
export function createToolContext(
  scope: CallScope,
  { signal, host, folders, bundle }: ContextServices,
): ToolContext {
  const asOf = scope.session.asOf;
  return {
    toolCallId: scope.toolCallId,
    session: Object.freeze(structuredClone(scope.session)),
    workspaceDir: join(folders.workspaceRoot, scope.workspace),
    stateRoot: folders.stateRoot,
    host: createHost(host),
    artifacts: createArtifacts(host, bundle),
    signal,
    now: () => (asOf === undefined ? new Date() : new Date(asOf)),
    ...unavailable("ctx", ["send", "getSession"]),
  };
}
