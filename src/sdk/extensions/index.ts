import type { ZodType } from "zod";
import type { AgentConfig } from "../agent";
import type { ArtifactsDefinition } from "../artifacts";
import type { ChannelDefinition } from "../channels/index";
import type { ConnectionConfig } from "../connections";
import type { HookDefinition } from "../hooks";
import type { JsonSchemaObject } from "../json";
import type { ScheduleDefinition } from "../schedules";
import type { SkillDefinition } from "../skills";

/** Contributions by name; each is mounted as `<namespace>__<name>`. */
export interface ExtensionDefinition {
  config?: ZodType | JsonSchemaObject | undefined;
  tools?: Record<string, object> | undefined;
  skills?: Record<string, SkillDefinition> | undefined;
  instructions?: string | undefined;
  connections?: Record<string, ConnectionConfig> | undefined;
  hooks?: Record<string, HookDefinition> | undefined;
  channels?: Record<string, ChannelDefinition> | undefined;
  schedules?: Record<string, ScheduleDefinition> | undefined;
  subagents?: Record<string, AgentConfig> | undefined;
  artifacts?: ArtifactsDefinition | undefined;
  /** Seed files of each session's workspace, by path. */
  workspace?: Record<string, string> | undefined;
}

/** Declares an extension; its namespace is the name of its file or folder. */
export const defineExtension = (definition: ExtensionDefinition): ExtensionDefinition => definition;

export interface CursorPlugin {
  readonly kind: "cursor-plugin";
  /** Folder of the plugin, relative to the project. */
  readonly dir: string;
}

/** Mounts a plugin folder: its skills, agents and MCP servers. */
export const cursorPlugin = (dir: string): CursorPlugin => ({ kind: "cursor-plugin", dir });
