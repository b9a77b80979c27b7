import { z } from "zod";
import { Diagnostic, ToolManifest } from "./manifest";

const Named = z.object({ name: z.string(), file: z.string() });
const Config = z.record(z.string(), z.unknown());

/**
 * What the agent process found by loading every definition of a bundle: the answer to the
 * `describe` call. The host treats it as hostile and joins it with the walk of the files.
 */
export const Description = z.object({
  /** JSON form of `agent.ts`'s default export, functions dropped; absent without `agent.ts`. */
  agent: Config.optional(),
  /** From `instructions.ts` only; Markdown forms are read by the walk. */
  instructions: z
    .object({ kind: z.enum(["static", "dynamic"]), text: z.string().optional() })
    .optional(),
  tools: z.array(ToolManifest),
  /** From `skills/<name>.ts` and extensions. */
  skills: z.array(Named.extend({ description: z.string(), files: z.array(z.string()) })),
  /** JSON form of each `subagents/<id>/agent.ts`. */
  subagents: z.array(Named.extend({ config: Config })),
  channels: z.array(
    Named.extend({
      kind: z.enum(["custom", "slack", "github"]),
      routes: z.array(
        z.object({ method: z.string(), path: z.string(), description: z.string().optional() }),
      ),
    }),
  ),
  /** From `schedules/<name>.ts` and extensions. */
  schedules: z.array(
    Named.extend({
      cron: z.string(),
      kind: z.enum(["markdown", "handler"]),
      prompt: z.string().optional(),
    }),
  ),
  reminders: z.array(Named),
  hooks: z.array(Named.extend({ events: z.array(z.string()) })),
  mcpConnections: z.array(
    Named.extend({ description: z.string().optional(), cursorAccount: z.boolean().optional() }),
  ),
  hostConnections: z.array(
    Named.extend({ description: z.string().optional(), cursorAccount: z.boolean().optional() }),
  ),
  extensions: z.array(Named),
  artifacts: z.object({ kinds: z.array(z.string()), agentTool: z.boolean() }).optional(),
  /** Modules that could not be loaded or do not hold what their folder says. */
  problems: z.array(Diagnostic),
});
export type Description = z.infer<typeof Description>;
