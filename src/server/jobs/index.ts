/**
 * Work that must be retried, as a queue: the catalog of jobs and the port with its BullMQ adapter.
 * Jobs are wakes with ids. Never the truth about anything, never in the path of a request, and
 * never what starts turns: those are claimed from Postgres.
 */
export { createBullmqBackend } from "./bullmq-backend";
export type { JobHandlers } from "./catalog";
export { enqueue, isQueueHealthy, provideQueue } from "./provided-queue";
export type { QueueBackend } from "./queue-backend";
