import { z } from "zod";

/** What an org may set for all of its agents. */
export const OrgSettings = z.object({
  /** Answer with the offline demo model where no provider key is set. */
  offlineModel: z.boolean().default(false),
});
export type OrgSettings = z.output<typeof OrgSettings>;
