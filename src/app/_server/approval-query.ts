import { z } from "zod";

const Query = z.object({
  status: z.enum(["resolved"]).optional().catch(undefined),
  cursor: z.string().max(80).optional().catch(undefined),
});

/** What an inbox's address asks for; parts that mean nothing are left out. */
export const approvalQuery = (
  query: Record<string, string | string[] | undefined>,
): z.output<typeof Query> => Query.parse(query);
