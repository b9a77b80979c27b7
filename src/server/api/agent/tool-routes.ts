import { z } from "zod";
import { callTool, listTools } from "../../tools";
import { route } from "../route";

const BASE = "/{org}/{agent}/v1/tools";
const tag = "tools";
const JsonSchema = z.record(z.string(), z.unknown());

const list = route({
  method: "GET",
  path: BASE,
  summary: "The tools of the active version",
  tag,
  auth: "agent",
  answer: {
    status: 200,
    description: "Names, descriptions and schemas.",
    schema: z.object({
      ok: z.literal(true),
      tools: z.array(
        z.object({
          name: z.string(),
          description: z.string(),
          execution: z.enum(["server", "agent"]),
          script: z.string().optional(),
          inputSchema: JsonSchema.optional(),
          outputSchema: JsonSchema.optional(),
          effect: z.enum(["read", "write", "function"]),
          needsApproval: z.enum(["never", "always", "function"]),
        }),
      ),
      nextCursor: z.null(),
    }),
  },
  async handler({ ctx, agent }) {
    return { ok: true, tools: await listTools(ctx, agent), nextCursor: null };
  },
});

const call = route({
  method: "POST",
  path: `${BASE}/{name}`,
  summary: "Call a server tool without a model turn",
  tag,
  auth: "agent",
  params: z.object({ name: z.string().max(200) }),
  body: z.object({
    input: z.unknown().optional(),
    approve: z.boolean().optional(),
    sessionId: z.string().max(64).optional(),
    continuationToken: z.string().max(512).optional(),
    dryRun: z.boolean().optional(),
    asOf: z.iso.datetime({ offset: true }).optional(),
  }),
  answer: {
    status: 200,
    description: "The outcome; isError is true when the tool threw.",
    foreign: true,
    schema: z.object({
      ok: z.literal(true),
      toolName: z.string(),
      callId: z.string(),
      isError: z.boolean(),
      result: z.unknown(),
      durationMs: z.int(),
      stubbed: z.boolean().optional(),
      sessionId: z.string().optional(),
      scratchWorkspace: z.boolean().optional(),
    }),
  },
  async handler({ ctx, agent, params, body, request }) {
    const { input = {}, approve = false, ...bound } = body;
    const call = { toolName: params.name, input, approve, ...bound, signal: request.signal };
    const outcome = await callTool(ctx, agent, call);
    return { ok: true, ...outcome };
  },
});

export const toolRoutes = [list, call];
