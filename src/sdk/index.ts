// The authoring package: what agent projects import as `openberth` and its subpaths.
// Definitions are plain data objects; discovering and running them is the work of
// `project` and `runtime`. Importing any file here never has an effect.
// It never talks to a network and never reads the environment.

export type { AgentConfig, ModelSetting } from "./agent";
export { defineAgent } from "./agent";
export { defineArtifacts } from "./artifacts";
export { githubChannel } from "./channels/github";
export type { ChannelDefinition } from "./channels/index";
export {
  allowAll,
  bearerAuth,
  DELETE,
  defineChannel,
  GET,
  localDevStrict,
  PATCH,
  POST,
  PUT,
} from "./channels/index";
export { slackChannel } from "./channels/slack";
export type { ConnectionConfig } from "./connections";
export { defineConnection } from "./connections";
export { defineEval, defineEvalConfig } from "./evals";
export { cursorPlugin, defineExtension } from "./extensions/index";
export { defineHook } from "./hooks";
export type { Host, HostKv, HostMcpCallResult, HostMcpContent } from "./host";
export { defineInstructions } from "./instructions";
export type { JsonObject, JsonSchemaObject, JsonValue } from "./json";
export { memoryHook } from "./memory";
export { prompt } from "./prompt";
export { defineReminder } from "./reminders";
export { defineResult } from "./result";
export { defineSchedule } from "./schedules";
export { defineSkill } from "./skills";
export { defineStorage } from "./storage/index";
export type {
  Effect,
  ToolContext,
  ToolDef,
  ToolExecuteResult,
  ToolInput,
  ToolResultContent,
} from "./tools";
export { defineTool } from "./tools";
