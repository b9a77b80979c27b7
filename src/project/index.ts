// Agent projects as files: finding every definition, naming what is wrong with file, line and
// fix, bundling them into one module, and joining that with the agent process's description
// into the manifest of a version.
// It runs no project code itself, except `inspectProject`, which does so on its caller's own
// machine. It never imports the server and never talks to a network (npm does, in `install`).

export { infoOf } from "./info-of";
export { type Inspection, inspectProject } from "./inspect-project";
