-- Which worker may write an agent's state, and which one waits for it.

ALTER TABLE "agent"
  ADD COLUMN "state_revision" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "state_worker" TEXT,
  ADD COLUMN "state_lease_until" TIMESTAMPTZ(3),
  ADD COLUMN "state_wanted_by" TEXT,
  ADD COLUMN "state_wanted_at" TIMESTAMPTZ(3);
