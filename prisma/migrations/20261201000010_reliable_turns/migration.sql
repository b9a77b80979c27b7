-- Coalesced messages, parked turns, subagents, approvals, artifacts, saved workspaces, idempotency.

ALTER TABLE "session"
  ADD COLUMN "dry_run" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "as_of" TIMESTAMPTZ(3),
  ADD COLUMN "workspace_revision" INTEGER NOT NULL DEFAULT 0;

ALTER TABLE "message" ADD COLUMN "at_step" INTEGER, ADD COLUMN "files" JSON;

ALTER TABLE "turn"
  ADD COLUMN "kind" TEXT NOT NULL DEFAULT 'model',
  ADD COLUMN "principal" TEXT NOT NULL DEFAULT '',
  ADD COLUMN "announced" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "wall_ms" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "resumed_at" TIMESTAMPTZ(3);
UPDATE "turn" t SET principal = s.principal, announced = t.attempt
  FROM "session" s WHERE s.org_id = t.org_id AND s.id = t.session_id;

ALTER TABLE "step" ADD COLUMN "parent_call_id" TEXT NOT NULL DEFAULT '',
  DROP CONSTRAINT "step_pkey",
  ADD CONSTRAINT "step_pkey" PRIMARY KEY ("org_id", "turn_id", "parent_call_id", "step");

ALTER TABLE "tool_call"
  ADD COLUMN "parent_call_id" TEXT NOT NULL DEFAULT '',
  ADD COLUMN "stubbed" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "artifact_id" TEXT;

ALTER TABLE "usage_entry" ADD COLUMN "parent_call_id" TEXT NOT NULL DEFAULT '',
  DROP CONSTRAINT "usage_entry_pkey",
  ADD CONSTRAINT "usage_entry_pkey"
    PRIMARY KEY ("org_id", "turn_id", "attempt", "parent_call_id", "step", "try");

ALTER TABLE "blob" ADD COLUMN "holder" TEXT NOT NULL DEFAULT '',
  DROP CONSTRAINT "blob_pkey",
  ADD CONSTRAINT "blob_pkey" PRIMARY KEY ("org_id", "holder", "sha256");

CREATE TABLE "approval" (
  "org_id" TEXT NOT NULL,
  "call_id" TEXT NOT NULL,
  "session_id" TEXT NOT NULL,
  "turn_id" TEXT NOT NULL,
  "agent_id" TEXT NOT NULL,
  "version" INTEGER NOT NULL,
  "tool_name" TEXT NOT NULL,
  "input" JSON NOT NULL,
  "hash" TEXT NOT NULL,
  "decision" TEXT NOT NULL DEFAULT 'pending',
  "by" TEXT,
  "reason" TEXT,
  "requested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "decided_at" TIMESTAMPTZ(3),
  CONSTRAINT "approval_pkey" PRIMARY KEY ("org_id", "call_id"),
  CONSTRAINT "approval_org_id_session_id_fkey" FOREIGN KEY ("org_id", "session_id")
    REFERENCES "session" ("org_id", "id") ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT "approval_org_id_agent_id_fkey" FOREIGN KEY ("org_id", "agent_id")
    REFERENCES "agent" ("org_id", "id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "approval_org_id_agent_id_requested_at_idx" ON "approval" ("org_id", "agent_id", "requested_at");
CREATE INDEX "approval_org_id_session_id_idx" ON "approval" ("org_id", "session_id");
CREATE INDEX "approval_due" ON "approval" ("expires_at") WHERE decision = 'pending';

CREATE TABLE "artifact" (
  "org_id" TEXT NOT NULL,
  "id" TEXT NOT NULL,
  "agent_id" TEXT NOT NULL,
  "session_id" TEXT,
  "turn_id" TEXT,
  "call_id" TEXT,
  "kind" TEXT NOT NULL,
  "key" TEXT NOT NULL,
  "version" INTEGER NOT NULL,
  "title" TEXT,
  "data" JSON,
  "content_type" TEXT,
  "sha256" TEXT,
  "size" BIGINT NOT NULL DEFAULT 0,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "expires_at" TIMESTAMPTZ(3),
  CONSTRAINT "artifact_pkey" PRIMARY KEY ("org_id", "id"),
  CONSTRAINT "artifact_org_id_session_id_fkey" FOREIGN KEY ("org_id", "session_id")
    REFERENCES "session" ("org_id", "id") ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT "artifact_org_id_agent_id_fkey" FOREIGN KEY ("org_id", "agent_id")
    REFERENCES "agent" ("org_id", "id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "artifact_org_id_agent_id_kind_key_version_key"
  ON "artifact" ("org_id", "agent_id", "kind", "key", "version");
CREATE INDEX "artifact_org_id_session_id_idx" ON "artifact" ("org_id", "session_id");
CREATE INDEX "artifact_due" ON "artifact" ("expires_at") WHERE expires_at IS NOT NULL;

CREATE TABLE "workspace_file" (
  "org_id" TEXT NOT NULL,
  "session_id" TEXT NOT NULL,
  "path" TEXT NOT NULL,
  "sha256" TEXT,
  "size" BIGINT NOT NULL,
  "mode" INTEGER NOT NULL,
  CONSTRAINT "workspace_file_pkey" PRIMARY KEY ("org_id", "session_id", "path"),
  CONSTRAINT "workspace_file_org_id_session_id_fkey" FOREIGN KEY ("org_id", "session_id")
    REFERENCES "session" ("org_id", "id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE "state_file" (
  "org_id" TEXT NOT NULL,
  "agent_id" TEXT NOT NULL,
  "path" TEXT NOT NULL,
  "sha256" TEXT,
  "size" BIGINT NOT NULL,
  "mode" INTEGER NOT NULL,
  CONSTRAINT "state_file_pkey" PRIMARY KEY ("org_id", "agent_id", "path"),
  CONSTRAINT "state_file_org_id_agent_id_fkey" FOREIGN KEY ("org_id", "agent_id")
    REFERENCES "agent" ("org_id", "id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE "idempotency_key" (
  "org_id" TEXT NOT NULL,
  "principal" TEXT NOT NULL,
  "method" TEXT NOT NULL,
  "path" TEXT NOT NULL,
  "key" TEXT NOT NULL,
  "body_hash" TEXT NOT NULL,
  "status" INTEGER,
  "headers" JSON,
  "body" BYTEA,
  "created_id" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("org_id", "principal", "method", "path", "key")
);
CREATE INDEX "idempotency_key_expires_at_idx" ON "idempotency_key" ("expires_at");

DO $$
DECLARE
  tenant_table text;
BEGIN
  FOREACH tenant_table IN ARRAY
    ARRAY['approval', 'artifact', 'workspace_file', 'state_file', 'idempotency_key']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format(
      'CREATE POLICY tenant ON %I USING (org_id = current_setting(''app.org'', true)) '
      'WITH CHECK (org_id = current_setting(''app.org'', true))', tenant_table);
  END LOOP;
END $$;
