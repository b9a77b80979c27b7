import type { Builder } from "../server/deployments";
import type { JobHandlers } from "../server/jobs";

/** What each job leads to. Postgres knows what is to be done; the job only says: look now. */
export const jobHandlers = (builder: Builder) =>
  ({
    "deployment.build": () => builder.wake(),
  }) satisfies JobHandlers;
