import { z } from "zod";

/** Who a request acts as (SPEC 3). `id` is unique within the kind; `label` is for people only. */
export const Principal = z.object({
  kind: z.enum(["user", "service", "channel", "schedule", "agent", "anonymous"]),
  id: z.string().min(1).max(300),
  label: z.string().max(200).optional(),
});
export type Principal = z.infer<typeof Principal>;

/** The stable text form of a principal, `<kind>:<id>`, as it stands in sessions, events and audit rows. */
export const principalKey = (principal: Pick<Principal, "kind" | "id">): string =>
  `${principal.kind}:${principal.id}`;
