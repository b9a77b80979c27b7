import type { ShellInit } from "../../protocol/shell-rpc";
import type { ShellSpec } from "./driver";
import { CA_BUNDLE } from "./guest-files";

/** The shell's folders and files, as it sees them. */
export interface ShellPaths {
  workspace: string;
  netShim: string;
  egressSocket: string;
  path: string;
}

/** The init frame of a session's shell: nothing of the agent's environment is in it. */
export const shellInit = (spec: ShellSpec, paths: ShellPaths): ShellInit => ({
  t: "init",
  env: {
    HOME: "/tmp",
    TMPDIR: "/tmp",
    PATH: paths.path,
    LANG: "C.UTF-8",
    SSL_CERT_FILE: CA_BUNDLE,
    GIT_TERMINAL_PROMPT: "0",
  },
  workspace: paths.workspace,
  ...(spec.egressDomains ? { egress: { shim: paths.netShim, socket: paths.egressSocket } } : {}),
  limits: {
    maxFrameBytes: spec.limits.maxFrameBytes,
    maxResultBytes: spec.limits.maxResultBytes,
  },
});
