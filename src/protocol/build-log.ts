import { z } from "zod";
import { Diagnostic } from "./manifest";

/** What a build is doing, in order. */
export const BUILD_PHASES = [
  "extract",
  "scan",
  "install",
  "bundle",
  "describe",
  "activate",
] as const;

/**
 * One entry of a deployment's build log, as stored and as streamed, one per NDJSON line. The last
 * one is `deployed` or `failed` and there is nothing after it.
 */
export const BuildLogEntry = z.discriminatedUnion("type", [
  z.object({ type: z.literal("phase"), phase: z.enum(BUILD_PHASES) }),
  z.object({ type: z.literal("log"), text: z.string() }),
  z.object({ type: z.literal("diagnostic"), diagnostic: Diagnostic }),
  z.object({ type: z.literal("deployed"), version: z.int(), url: z.string() }),
  z.object({ type: z.literal("failed"), diagnostics: z.array(Diagnostic) }),
]);
export type BuildLogEntry = z.infer<typeof BuildLogEntry>;

const place = { index: z.int(), at: z.string() };

/** A log line on the wire: its index from 0 without holes, and when it was written (ISO 8601). */
export const BuildLogLine = z.discriminatedUnion("type", [
  BuildLogEntry.options[0].extend(place),
  BuildLogEntry.options[1].extend(place),
  BuildLogEntry.options[2].extend(place),
  BuildLogEntry.options[3].extend(place),
  BuildLogEntry.options[4].extend(place),
]);
export type BuildLogLine = z.infer<typeof BuildLogLine>;

/** Whether an entry is the last of its log. */
export const endsBuildLog = (entry: { type: string }): boolean =>
  entry.type === "deployed" || entry.type === "failed";

/** States of a version. `ready` can be activated; `failed` never will. */
export const DeploymentStatus = z.enum(["queued", "building", "ready", "failed"]);
export type DeploymentStatus = z.infer<typeof DeploymentStatus>;

/** A version as the control API shows it. Times are ISO 8601. */
export const DeploymentView = z.object({
  id: z.string(),
  version: z.int(),
  status: DeploymentStatus,
  /** Whether the agent runs it now. */
  active: z.boolean(),
  message: z.string().nullable(),
  sourceSha: z.string(),
  createdBy: z.string(),
  createdAt: z.string(),
  finishedAt: z.string().nullable(),
  diagnostics: z.array(Diagnostic),
});
export type DeploymentView = z.infer<typeof DeploymentView>;
