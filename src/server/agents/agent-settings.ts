import { z } from "zod";

const HttpOrigin = z
  .url({ protocol: /^https?$/ })
  .refine((text) => new URL(text).origin === text, "is an origin: scheme, host and port only");

/** What the people of an org set for an agent; what its author sets is in the manifest. */
export const AgentSettings = z.object({
  /** Allows anonymous sessions, where the manifest asks for `access: "public"` too. */
  publicAccess: z.boolean().default(false),
  /** Origins whose pages may call the agent's public routes. */
  corsOrigins: z.array(HttpOrigin).max(50).default([]),
});
export type AgentSettings = z.output<typeof AgentSettings>;
