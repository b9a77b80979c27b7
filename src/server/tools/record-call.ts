import { z } from "zod";
import { sqlMutation } from "../platform/verb";

/** Permits a direct call and leaves its audit row, before anything runs. */
export const recordCall = sqlMutation({
  permission: "tools:call",
  scope: "agent",
  action: "tool.call",
  begins: true,
  input: z.object({
    agentId: z.string(),
    callId: z.string(),
    toolName: z.string(),
    version: z.int(),
    approved: z.boolean(),
    sessionId: z.string().optional(),
  }),
  run: ({ input }) => Promise.resolve(input),
  audit: ({ agentId, ...call }) => ({ entityId: agentId, after: call }),
});
