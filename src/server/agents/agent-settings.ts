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
  /** Sessions are erased when nothing has happened in them for so many days. */
  retentionDays: z.number().int().min(1).max(3650).optional(),
});

/** For agents that do not say otherwise. */
export const RETENTION_DAYS = 90;

const { publicAccess, corsOrigins, retentionDays } = AgentSettingsChange.shape;

/** What the people of an org set for an agent; what its author sets is in the manifest. */
export const AgentSettings = z.object({
  publicAccess: publicAccess.unwrap().default(false),
  corsOrigins: corsOrigins.unwrap().default([]),
  retentionDays: retentionDays.unwrap().default(RETENTION_DAYS),
});
export type AgentSettings = z.output<typeof AgentSettings>;
