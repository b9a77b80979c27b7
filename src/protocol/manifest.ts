import { z } from "zod";

/** One finding about a project: what, where, and how to mend it. */
export const Diagnostic = z.object({
  severity: z.enum(["error", "warning"]),
  code: z.string(),
  message: z.string(),
  /** Path relative to the project root, with `/`. */
  file: z.string(),
  line: z.number().int().positive().optional(),
  column: z.number().int().positive().optional(),
  fix: z.string().optional(),
});
export type Diagnostic = z.infer<typeof Diagnostic>;

const JsonSchema = z.record(z.string(), z.unknown());
const Named = z.object({ name: z.string(), file: z.string() });

export const ModelSetting = z.object({
  id: z.string(),
  params: z.record(z.string(), z.unknown()),
});
export type ModelSetting = z.infer<typeof ModelSetting>;

export const ToolManifest = Named.extend({
  description: z.string(),
  execution: z.enum(["server", "agent"]),
  /** The script of an agent tool. */
  script: z.string().optional(),
  /** JSON Schema of the input; absent when the tool takes anything. */
  inputSchema: JsonSchema.optional(),
  outputSchema: JsonSchema.optional(),
  effect: z.enum(["read", "write", "function"]),
  needsApproval: z.enum(["never", "always", "function"]),
  timeArgs: z.array(z.string()),
  timeoutMs: z.number().int().positive(),
});
export type ToolManifest = z.infer<typeof ToolManifest>;

/** What a built version contains. Written by the build, read by everything that runs or shows it. */
export const Manifest = z.object({
  schema: z.literal(1),
  root: z.enum(["bot", "agent"]),
  name: z.string(),
  description: z.string().optional(),
  /** First is preferred; later ones are fallbacks. */
  models: z.array(ModelSetting).min(1),
  /** Harness tools the agent may use; absent means all. */
  harnessTools: z.array(z.string()).optional(),
  instructions: z.object({
    file: z.string(),
    /** `static` text is here; `dynamic` is computed in the agent process each turn. */
    kind: z.enum(["static", "dynamic"]),
    text: z.string().optional(),
  }),
  tools: z.array(ToolManifest),
  skills: z.array(
    Named.extend({
      description: z.string(),
      files: z.array(z.string()),
      dynamic: z.boolean(),
      /** What a skill made by code says; the files of the others travel with the bundle. */
      content: z
        .object({ markdown: z.string(), files: z.record(z.string(), z.string()) })
        .optional(),
    }),
  ),
  subagents: z.array(
    Named.extend({
      description: z.string(),
      model: ModelSetting.optional(),
      instructions: z.string().optional(),
    }),
  ),
  channels: z.array(
    Named.extend({
      kind: z.enum(["custom", "slack", "github"]),
      routes: z.array(
        z.object({ method: z.string(), path: z.string(), description: z.string().optional() }),
      ),
    }),
  ),
  schedules: z.array(
    Named.extend({
      cron: z.string(),
      kind: z.enum(["markdown", "handler"]),
      prompt: z.string().optional(),
    }),
  ),
  reminders: z.array(Named),
  hooks: z.array(Named.extend({ events: z.array(z.string()) })),
  mcpConnections: z.array(Named.extend({ description: z.string().optional() })),
  hostConnections: z.array(Named.extend({ description: z.string().optional() })),
  extensions: z.array(Named),
  artifacts: z
    .object({
      file: z.string(),
      kinds: z.array(z.string()),
      agentTool: z.boolean(),
      /** What the kinds that have one are for, and how long those with a retention are kept. */
      descriptions: z.record(z.string(), z.string()).optional(),
      retentionMs: z.record(z.string(), z.number().int().positive()).optional(),
      /** How many versions of one key are kept. */
      max: z.number().int().positive().optional(),
    })
    .optional(),
  result: z.object({ file: z.string() }).optional(),
  workspaceFiles: z.array(z.string()),
  evals: z.array(Named),
  access: z.enum(["org", "public"]),
  isolation: z.enum(["agent", "session"]),
  persistent: z.boolean(),
  /** The project's code reads `ctx.stateRoot`: one worker at a time runs it. */
  readsState: z.boolean().optional(),
  egressDomains: z.array(z.string()),
  secretNames: z.array(z.string()),
  maxRunningTurns: z.number().int().positive().optional(),
  limits: z.object({
    steps: z.number().int().positive(),
    wallMs: z.number().int().positive(),
    tokens: z.number().int().positive().optional(),
  }),
  approvals: z.object({ channel: z.boolean(), self: z.boolean(), expiresInMs: z.number() }),
  /** `agent.ts` `builtinTools`. */
  builtinTools: z.object({ reminders: z.boolean() }),
});
export type Manifest = z.infer<typeof Manifest>;
