// Calling an agent's tools without a model turn: what there is, and one call with its outcome.
// It decides who may call what and words the outcome. It never runs tenant code itself (the
// sandbox does) and never judges an input against a tenant's schema.
export { agentInfo } from "./agent-info";
export { callTool } from "./call-tool";
export { listTools } from "./list-tools";
