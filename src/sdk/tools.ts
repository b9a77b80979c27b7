import type { ZodType, z } from "zod";
import type { Awaitable, JsonObject, JsonSchemaObject, JsonValue } from "./json";
import type { LiveToolContext, ToolContext } from "./tool-context";

export type { Host, HostFiles, HostKv, HostMcp, LiveHost } from "./host";
export type { Octo, SlackWeb } from "./platform-clients";
export type {
  ArtifactRecord,
  Artifacts,
  ArtifactTag,
  LiveToolContext,
  SessionInfo,
  ToolContext,
} from "./tool-context";

export type Effect = "read" | "write";

/** One item of an envelope's `content`. `data` and `blob` are base64. */
export type ToolResultContent =
  | { type: "text"; text: string }
  | { type: "image"; data: string; mimeType: string }
  | { type: "file"; data: string; mimeType: string; name?: string }
  | {
      type: "resource";
      resource: { uri: string; mimeType?: string; text?: string; blob?: string };
    };

/** A string, any JSON-shaped value (undefined members are dropped), or `{ content, isError? }`. */
export type ToolExecuteResult = unknown;

/** A schema of Zod 3, whose types have no common ancestor with those of Zod 4. */
export interface LegacyZodType {
  readonly _output: unknown;
  readonly _input: unknown;
  readonly _def: unknown;
  safeParse(value: unknown): { success: boolean };
}

/** The input a tool's `execute` receives for a schema: parsed, with defaults filled in. */
export type ToolInput<TSchema> = TSchema extends ZodType
  ? z.output<TSchema>
  : TSchema extends { readonly _output: infer Output }
    ? Output
    : JsonObject;

interface ToolBase<Input> {
  description: string;
  /** Absent means write. */
  effect?: Effect | ((input: Input) => Effect) | undefined;
  /** Properties of the input that bound time in sessions with `asOf`. */
  timeArgs?: string[] | undefined;
  /** Up to 15 minutes; 60 seconds when absent. */
  timeoutMs?: number | undefined;
}

/** What a dry run answers instead of running a write: a value, or a function of the input. */
type DryRunResult<Input> = JsonValue | ((input: Input) => unknown) | undefined;

interface ServerToolBase<Input, Output> extends ToolBase<Input> {
  execution?: "server" | undefined;
  outputSchema?: Output | undefined;
  needsApproval?: boolean | ((input: Input) => Awaitable<boolean>) | undefined;
}

type OutputSchema = ZodType | LegacyZodType | JsonSchemaObject;

/** A server tool whose input is a Zod schema, as other code may call it. */
export interface ToolDef<S extends ZodType = ZodType, O extends OutputSchema = OutputSchema>
  extends ServerToolBase<z.output<S>, O> {
  inputSchema: S;
  dryRunResult?: ((input: z.output<S>) => unknown) | undefined;
  execute(input: z.output<S>, ctx: ToolContext): ToolExecuteResult;
}

interface ZodToolSpec<S extends ZodType, O extends OutputSchema>
  extends ServerToolBase<z.output<S>, O> {
  inputSchema: S;
  dryRunResult?: DryRunResult<z.output<S>>;
  execute(input: z.output<S>, ctx: LiveToolContext): ToolExecuteResult;
}

export interface LegacyToolDef<S extends LegacyZodType, C = ToolContext>
  extends ServerToolBase<S["_output"], OutputSchema> {
  inputSchema: S;
  dryRunResult?: DryRunResult<S["_output"]>;
  execute(input: S["_output"], ctx: C): ToolExecuteResult;
}

export interface JsonToolDef<C = ToolContext> extends ServerToolBase<JsonObject, OutputSchema> {
  inputSchema: JsonSchemaObject;
  dryRunResult?: DryRunResult<JsonObject>;
  execute(input: JsonObject, ctx: C): ToolExecuteResult;
}

export interface OpenToolDef<C = ToolContext> extends ServerToolBase<JsonValue, OutputSchema> {
  inputSchema?: undefined;
  dryRunResult?: DryRunResult<JsonValue>;
  execute(input: JsonValue, ctx: C): ToolExecuteResult;
}

/** A tool that is a script in the session's workspace: JSON on stdin, the result on stdout. */
export interface AgentToolDef extends ToolBase<JsonObject> {
  execution: "agent";
  inputSchema?: ZodType | LegacyZodType | JsonSchemaObject | undefined;
  outputSchema?: OutputSchema | undefined;
  script: string;
}

/** Declares a tool; its name is the name of its file. */
export function defineTool<S extends ZodType, O extends OutputSchema = OutputSchema>(
  definition: ZodToolSpec<S, O>,
): ToolDef<S, O>;
export function defineTool<S extends LegacyZodType>(
  definition: LegacyToolDef<S, LiveToolContext>,
): LegacyToolDef<S>;
export function defineTool(definition: AgentToolDef): AgentToolDef;
export function defineTool(definition: OpenToolDef<LiveToolContext>): OpenToolDef;
export function defineTool(definition: JsonToolDef<LiveToolContext>): JsonToolDef;
export function defineTool(definition: object): object {
  return definition;
}
