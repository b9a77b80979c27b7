/**
 * Work that must be retried, as a queue: the catalog of jobs and the port with BullMQ behind it, in
 * Redis or in Postgres.
 * Jobs are wakes with ids. Never the truth about anything, never in the path of a request, and
 * never what starts turns: those are claimed from Postgres.
 */
export type { JobHandlers } from "./catalog";
export { createQueueBackend } from "./create-queue-backend";
export { enqueue, isQueueHealthy, provideQueue } from "./provided-queue";
export type { QueueBackend } from "./queue-backend";
