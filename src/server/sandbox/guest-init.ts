import { join } from "node:path";
import type { GuestInit } from "../../protocol/runtime-rpc";
import type { SandboxSpec } from "./driver";

/** The guest's folders and files, as it sees them. */
export interface GuestPaths {
  app: string;
  workspace: string;
  state: string;
  netShim: string;
  egressSocket: string;
  path: string;
}

/** The init frame: everything the agent process learns, secrets included. */
export function guestInit(spec: SandboxSpec, paths: GuestPaths): GuestInit {
  return {
    t: "init",
    env: { HOME: "/tmp", TMPDIR: "/tmp", PATH: paths.path, NODE_ENV: "production", ...spec.env },
    bundle: join(paths.app, "bundle.mjs"),
    workspaceRoot: paths.workspace,
    stateRoot: paths.state,
    egress: { shim: paths.netShim, socket: paths.egressSocket },
    limits: {
      maxFrameBytes: spec.limits.maxFrameBytes,
      maxResultBytes: spec.limits.maxResultBytes,
      logBytesPerSecond: spec.limits.logBytesPerSecond,
    },
  };
}
