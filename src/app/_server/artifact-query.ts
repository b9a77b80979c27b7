import { z } from "zod";

const Query = z.object({
  kind: z.string().max(128).optional().catch(undefined),
  session: z.string().max(64).optional().catch(undefined),
  cursor: z.string().max(64).optional().catch(undefined),
});

/** The address's query, as Next gives it. */
export type ArtifactQuery = Record<string, string | string[] | undefined>;

/** The filter that an address asks for; parts that mean nothing are left out. */
export const artifactQuery = (query: ArtifactQuery): z.output<typeof Query> => Query.parse(query);
