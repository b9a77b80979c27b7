/**
 * Owns running tenants' code: the drivers that start a sandbox, the socket to what runs in it, its
 * limits and its end, workspaces as folders, the build jail, which agent processes and shells live.
 * Never reads bundles, secrets or rows itself: they come through `resolve`, host calls go out
 * through `onHostCall`. Never follows a link a guest may have made, never trusts a frame it sent.
 */
export type { AgentHostCall } from "./agent-instance";
export type { AgentRef, AgentSpec } from "./agent-ref";
export type { BuildJob, BuildResult } from "./build-job";
export { createBwrapDriver } from "./bwrap-driver";
export { createSandboxes } from "./create-sandboxes";
export { createShells, type Shells } from "./create-shells";
export type {
  DriverCapabilities,
  Sandbox,
  SandboxDriver,
  SandboxHost,
  SandboxLog,
} from "./driver";
export { createInternalServer } from "./internal-server";
export { type Invoke, invoke, provideInvoke } from "./invoke";
export { DEFAULT_LIMITS, type SandboxLimits } from "./limits";
export { RemoteInvoker } from "./remote-invoke";
export { sweepRunFolders } from "./run-folder";
export { SandboxError } from "./sandbox-error";
export type { Sandboxes, WorkspaceFolder } from "./sandboxes";
export type { ShellPlace } from "./shell-place";
export { createUnsafeDriver } from "./unsafe-driver";
export { WorkspaceFolders } from "./workspace-folders";
