-- The line of each session and agent: which turn is next, who was told that it waits, and how often
-- a worker was lost.

ALTER TABLE "turn"
  ADD COLUMN "ready" BOOLEAN NOT NULL DEFAULT true,
  ADD COLUMN "position" INTEGER,
  ADD COLUMN "lost" INTEGER NOT NULL DEFAULT 0;

-- Of a session's live turns the one that runs, or else the first in line, is ready.
UPDATE "turn" t SET ready = false
WHERE t.status = 'queued' AND EXISTS (
  SELECT 1 FROM "turn" o WHERE o.org_id = t.org_id AND o.session_id = t.session_id AND o.id <> t.id
    AND (o.status IN ('running', 'parked')
      OR o.status = 'queued' AND (o.queued_at, o.id) < (t.queued_at, t.id)));

-- How many turns an agent runs at once, beside the manifest: every claim asks, and would parse it.
ALTER TABLE "deployment" ADD COLUMN "max_running_turns" BIGINT
  GENERATED ALWAYS AS ((manifest ->> 'maxRunningTurns')::bigint) STORED;

DROP INDEX "turn_live";
CREATE INDEX "turn_live" ON "turn" (org_id, session_id, queued_at, id)
  WHERE status IN ('queued', 'running', 'parked');
-- One turn at a time has a session.
CREATE UNIQUE INDEX "turn_head" ON "turn" (org_id, session_id)
  WHERE ready AND status IN ('queued', 'running', 'parked');
CREATE INDEX "turn_line" ON "turn" (org_id, agent_id, ready, queued_at, id) WHERE status = 'queued';
CREATE INDEX "turn_running" ON "turn" (org_id, agent_id) WHERE status = 'running' AND kind = 'model';
CREATE INDEX "turn_untold" ON "turn" (queued_at)
  WHERE status = 'queued' AND position IS NULL AND attempt = 0;

CREATE INDEX "message_pending" ON "message" (org_id, session_id, created_at, id) WHERE turn_id IS NULL;
