import { z } from "zod";

const Query = z.object({
  status: z
    .enum(["waiting", "queued", "running", "parked", "completed", "failed"])
    .optional()
    .catch(undefined),
  channel: z.string().max(64).optional().catch(undefined),
  cursor: z.string().max(64).optional().catch(undefined),
});

/** The address's query, as Next gives it. */
export type SessionQuery = Record<string, string | string[] | undefined>;

/** The filter that an address asks for; parts that mean nothing are left out. */
export const sessionQuery = (query: SessionQuery): z.output<typeof Query> => Query.parse(query);

export const STATUS_CHOICES = [
  { value: undefined, label: "All" },
  { value: "running", label: "Running" },
  { value: "queued", label: "Queued" },
  { value: "parked", label: "Needs approval" },
  { value: "waiting", label: "Waiting" },
  { value: "completed", label: "Completed" },
  { value: "failed", label: "Failed" },
] as const;
