/**
 * Owns running tenants' code: the drivers that start a sandbox, the socket to what runs in it, its
 * limits and its end, the workspaces as folders, the build jail, and which agent processes live.
 * Never reads bundles, secrets or rows itself: they come through `resolve`, host calls go out
 * through `onHostCall`. Never follows a link a guest may have made, never trusts a frame it sent.
 */
export type { AgentHostCall } from "./agent-instance";
export type { AgentRef, AgentSpec } from "./agent-ref";
export type { BuildJob, BuildResult } from "./build-job";
export { createBwrapDriver, type DriverOptions } from "./bwrap-driver";
export { bubblewrapInstallCommand } from "./bwrap-probe";
export {
  createSandboxes,
  type InstanceStats,
  type Sandboxes,
  type SandboxesOptions,
} from "./create-sandboxes";
export { type DescribeOptions, describeBundle } from "./describe-bundle";
export type {
  CallOptions,
  DriverCapabilities,
  Sandbox,
  SandboxDriver,
  SandboxExit,
  SandboxHost,
  SandboxLog,
  SandboxSpec,
  SandboxStats,
} from "./driver";
export { createInternalServer } from "./internal-server";
export { type Invoke, type InvokeOptions, invoke, provideInvoke } from "./invoke";
export { DEFAULT_LIMITS, type SandboxLimits } from "./limits";
export { RemoteInvoker } from "./remote-invoke";
export { SandboxError, type SandboxErrorCode } from "./sandbox-error";
export { createUnsafeDriver } from "./unsafe-driver";
