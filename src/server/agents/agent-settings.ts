import { z } from "zod";

const HttpOrigin = z
  .url({ protocol: /^https?$/, abort: true })
  .refine((text) => new URL(text).origin === text, "is an origin: scheme, host and port only");

/** Some of an agent's settings, to be changed. It has no defaults, so what is absent stays. */
export const AgentSettingsChange = z.object({
  /** Allows anonymous sessions, where the manifest asks for `access: "public"` too. */
  publicAccess: z.boolean().optional(),
  /** Origins whose pages may call the agent's public routes. */
  corsOrigins: z.array(HttpOrigin).max(50).optional(),
});

const { publicAccess, corsOrigins } = AgentSettingsChange.shape;

/** What the people of an org set for an agent; what its author sets is in the manifest. */
export const AgentSettings = z.object({
  publicAccess: publicAccess.unwrap().default(false),
  corsOrigins: corsOrigins.unwrap().default([]),
});
export type AgentSettings = z.output<typeof AgentSettings>;
