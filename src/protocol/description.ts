import { z } from "zod";

/** The kinds of definition a bundle's `definitions` table has, in the order they are described. */
export const DEFINITION_KINDS = [
  "agent",
  "instructions",
  "artifacts",
  "result",
  "tools",
  "skills",
  "channels",
  "schedules",
  "reminders",
  "hooks",
  "subagents",
  "extensions",
  "mcpConnections",
  "hostConnections",
  "evals",
] as const;
export type DefinitionKind = (typeof DEFINITION_KINDS)[number];

const JsonSchema = z.record(z.string(), z.unknown());

/** What stands in described data for a value that JSON cannot hold. */
export const Marker = z.discriminatedUnion("$berth", [
  z.object({ $berth: z.literal("function") }),
  z.object({ $berth: z.literal("bigint"), value: z.string() }),
  z.object({ $berth: z.literal("symbol") }),
  z.object({ $berth: z.literal("regexp"), source: z.string(), flags: z.string() }),
  z.object({ $berth: z.literal("bytes"), length: z.number() }),
  z.object({ $berth: z.literal("schema"), jsonSchema: JsonSchema.optional() }),
  z.object({ $berth: z.literal("cycle") }),
]);
export type Marker = z.infer<typeof Marker>;

/** A tool as its definition says it, before defaults. */
export const ToolDescription = z.object({
  description: z.string(),
  execution: z.enum(["server", "agent"]),
  script: z.string().optional(),
  inputSchema: JsonSchema.optional(),
  outputSchema: JsonSchema.optional(),
  effect: z.enum(["read", "write", "function"]),
  needsApproval: z.enum(["never", "always", "function"]),
  timeArgs: z.array(z.string()),
  timeoutMs: z.number().int().positive().optional(),
  /** Whether the tool says what a dry run answers. */
  dryRunResult: z.boolean(),
});
export type ToolDescription = z.infer<typeof ToolDescription>;

/** Why a definition cannot be used. */
export const DefinitionError = z.object({
  code: z.enum(["load_failed", "secret_missing_at_load", "invalid_definition"]),
  message: z.string(),
  stack: z.string().optional(),
  /** The variable whose absence is to blame, for `secret_missing_at_load`. */
  variable: z.string().optional(),
});
export type DefinitionError = z.infer<typeof DefinitionError>;

const Base = z.object({
  /** Key in the bundle's `files`: `tools/echo`, or `agent` for those that stand alone. */
  key: z.string(),
  kind: z.enum(DEFINITION_KINDS),
  name: z.string(),
  /** Project path of the module. */
  file: z.string(),
});

export const DescribedDefinition = z.union([
  Base.extend({ ok: z.literal(true), tool: ToolDescription, warnings: z.array(z.string()) }),
  Base.extend({
    ok: z.literal(true),
    /** JSON form of the default export; what JSON cannot hold is a `Marker`. */
    data: z.unknown(),
    exports: z.array(z.string()),
    warnings: z.array(z.string()),
  }),
  Base.extend({ ok: z.literal(false), error: DefinitionError }),
]);
export type DescribedDefinition = z.infer<typeof DescribedDefinition>;

/**
 * What the agent process found by loading every definition of a bundle: the answer to the
 * `describe` call. The host treats it as hostile and joins it with the walk of the files.
 */
export const Description = z.object({ definitions: z.array(DescribedDefinition) });
export type Description = z.infer<typeof Description>;
