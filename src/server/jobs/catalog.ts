import { z } from "zod";

interface JobPolicy {
  /** How often a failing job is tried in all. */
  attempts: number;
  /** Wait before the second try in milliseconds; doubles with each. */
  backoffMs: number;
  /** Jobs of this name that one worker runs at a time. */
  concurrency: number;
}

const job = <S extends z.ZodType>(payload: S, policy: JobPolicy) => ({ payload, policy });

/**
 * Every job: its payload, which is ids only, and how it is tried. A job only says that there may be
 * something to do: its handler reads Postgres and may run any number of times.
 */
export const CATALOG = {
  "deployment.build": job(
    z.object({ orgId: z.string(), agentId: z.string(), version: z.number().int() }),
    { attempts: 3, backoffMs: 1_000, concurrency: 2 },
  ),
} as const;

export type JobName = keyof typeof CATALOG;
export const JOB_NAMES = Object.keys(CATALOG) as JobName[];
export type JobPayload<N extends JobName> = z.output<(typeof CATALOG)[N]["payload"]>;

/** How a job is tried. */
export const policyOf = (name: JobName): JobPolicy => CATALOG[name].policy;

/** A payload as it may be stored or has come back. @throws ZodError */
export const parsePayload = <N extends JobName>(name: N, payload: unknown): JobPayload<N> =>
  CATALOG[name].payload.parse(payload) as JobPayload<N>;

export type JobHandlers = { [N in JobName]: (payload: JobPayload<N>) => Promise<void> };
