// Versions of agents: takes an upload as the next version, builds it on a worker, keeps its log,
// and turns a finished version into what a sandbox needs to run it.
// It never runs a tenant's code itself, never activates what did not build, and never changes a
// version once it is built.
export { MAX_PACKED_BYTES } from "./archive-limits";

export { Builder } from "./builder";
export { BundleCache } from "./bundle-cache";
export { createDeployment } from "./create-deployment";
export { followBuildLog } from "./follow-build-log";
export { getDeployment } from "./get-deployment";
export { listDeployments } from "./list-deployments";
export { VersionResolver } from "./version-resolver";
