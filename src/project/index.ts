// Agent projects as files: finding every definition, naming what is wrong with file, line and
// fix, bundling them into one module, and joining that with the agent process's description
// into the manifest of a version.
// It runs no project code itself, except `inspectProject`, which does so on its caller's own
// machine. It never imports the server and never talks to a network (npm does, in `install`).

export { BuildLine } from "./build-line";
export { SCAN_FILE } from "./build-project";
export { BUNDLE_FILE } from "./bundle-project";
export { cronProblem, nextDue } from "./cron";
export { hasErrors } from "./diagnostics";
export { type AgentInfo, infoOf } from "./info-of";
export { type Inspection, type InspectOptions, inspectProject } from "./inspect-project";
export { HARNESS_TOOLS } from "./name-rules";
export { ProjectScan } from "./project-scan";
export { scanProject } from "./scan-project";
export { toManifest } from "./to-manifest";
export type { Toolchain } from "./toolchain";
