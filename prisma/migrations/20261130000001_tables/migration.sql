-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "user" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "password_hash" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "disabled_at" TIMESTAMPTZ(3),

    CONSTRAINT "user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user_session" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    "ip" TEXT,
    "user_agent" TEXT,

    CONSTRAINT "user_session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "worker" (
    "id" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "slots" INTEGER NOT NULL,
    "busy" INTEGER NOT NULL DEFAULT 0,
    "warm" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "sandbox" JSON NOT NULL DEFAULT '{}',
    "build" TEXT NOT NULL,
    "draining" BOOLEAN NOT NULL DEFAULT false,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "worker_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "org" (
    "id" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "slug_key" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "settings" JSONB NOT NULL DEFAULT '{}',
    "secrets_revision" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "org_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "member" (
    "org_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "member_pkey" PRIMARY KEY ("org_id","user_id")
);

-- CreateTable
CREATE TABLE "service_account" (
    "org_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "service_account_pkey" PRIMARY KEY ("org_id","id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "org_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "service_account_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "permissions" TEXT[],
    "agent_id" TEXT,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("org_id","id")
);

-- CreateTable
CREATE TABLE "agent" (
    "org_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "slug_key" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL DEFAULT 'live',
    "active_version" INTEGER,
    "next_version" INTEGER NOT NULL DEFAULT 1,
    "secrets_revision" INTEGER NOT NULL DEFAULT 0,
    "settings" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "agent_pkey" PRIMARY KEY ("org_id","id")
);

-- CreateTable
CREATE TABLE "deployment" (
    "org_id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "id" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'queued',
    "source_sha" TEXT NOT NULL,
    "bundle_sha" TEXT,
    "manifest" JSON,
    "diagnostics" JSON NOT NULL DEFAULT '[]',
    "next_log" INTEGER NOT NULL DEFAULT 0,
    "activate" BOOLEAN NOT NULL DEFAULT true,
    "message" TEXT,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "lease_until" TIMESTAMPTZ(3),
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "deployment_pkey" PRIMARY KEY ("org_id","agent_id","version")
);

-- CreateTable
CREATE TABLE "deployment_log" (
    "org_id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "index" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "line" JSON NOT NULL,

    CONSTRAINT "deployment_log_pkey" PRIMARY KEY ("org_id","agent_id","version","index")
);

-- CreateTable
CREATE TABLE "blob" (
    "org_id" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "blob_pkey" PRIMARY KEY ("org_id","sha256")
);

-- CreateTable
CREATE TABLE "data_key" (
    "org_id" TEXT NOT NULL,
    "id" INTEGER NOT NULL,
    "wrapped" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "data_key_pkey" PRIMARY KEY ("org_id","id")
);

-- CreateTable
CREATE TABLE "secret" (
    "org_id" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "sealed" BYTEA NOT NULL,
    "data_key_id" INTEGER NOT NULL,
    "length" INTEGER NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "secret_pkey" PRIMARY KEY ("org_id","scope","name","version")
);

-- CreateTable
CREATE TABLE "model_provider" (
    "org_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "base_url" TEXT,
    "sealed" BYTEA,
    "data_key_id" INTEGER,
    "fingerprint" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "model_provider_pkey" PRIMARY KEY ("org_id","name")
);

-- CreateTable
CREATE TABLE "session" (
    "org_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "channel" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "principal" TEXT NOT NULL,
    "title" TEXT,
    "status" TEXT NOT NULL DEFAULT 'waiting',
    "next_index" INTEGER NOT NULL DEFAULT 0,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "continuation_token" TEXT NOT NULL,
    "metadata" JSON NOT NULL DEFAULT '{}',
    "input_tokens" BIGINT NOT NULL DEFAULT 0,
    "output_tokens" BIGINT NOT NULL DEFAULT 0,
    "cache_read_tokens" BIGINT NOT NULL DEFAULT 0,
    "cache_write_tokens" BIGINT NOT NULL DEFAULT 0,
    "cost_usd" DECIMAL(18,9),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "session_pkey" PRIMARY KEY ("org_id","id")
);

-- CreateTable
CREATE TABLE "event" (
    "org_id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "index" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "turn_id" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "data" JSON NOT NULL,

    CONSTRAINT "event_pkey" PRIMARY KEY ("org_id","session_id","index")
);

-- CreateTable
CREATE TABLE "message" (
    "org_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "turn_id" TEXT,
    "principal" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "message_pkey" PRIMARY KEY ("org_id","id")
);

-- CreateTable
CREATE TABLE "turn" (
    "org_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'queued',
    "version" INTEGER,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "worker_id" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "queued_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "error" JSON,

    CONSTRAINT "turn_pkey" PRIMARY KEY ("org_id","id")
);

-- CreateTable
CREATE TABLE "step" (
    "org_id" TEXT NOT NULL,
    "turn_id" TEXT NOT NULL,
    "step" INTEGER NOT NULL,
    "session_id" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "sdk" INTEGER NOT NULL,
    "messages" JSON NOT NULL,
    "usage" JSON NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "step_pkey" PRIMARY KEY ("org_id","turn_id","step")
);

-- CreateTable
CREATE TABLE "tool_call" (
    "org_id" TEXT NOT NULL,
    "turn_id" TEXT NOT NULL,
    "call_id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "step" INTEGER NOT NULL,
    "tool_name" TEXT NOT NULL,
    "input" JSON NOT NULL,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "is_error" BOOLEAN,
    "result" JSON,

    CONSTRAINT "tool_call_pkey" PRIMARY KEY ("org_id","turn_id","call_id")
);

-- CreateTable
CREATE TABLE "usage_entry" (
    "org_id" TEXT NOT NULL,
    "turn_id" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL,
    "step" INTEGER NOT NULL,
    "try" INTEGER NOT NULL,
    "session_id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "input_tokens" INTEGER NOT NULL,
    "output_tokens" INTEGER NOT NULL,
    "cache_read_tokens" INTEGER NOT NULL,
    "cache_write_tokens" INTEGER NOT NULL,
    "cost_usd" DECIMAL(18,9),
    "price_version" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "usage_entry_pkey" PRIMARY KEY ("org_id","turn_id","attempt","step","try")
);

-- CreateTable
CREATE TABLE "kv_entry" (
    "org_id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "value" JSON NOT NULL,
    "revision" BIGINT NOT NULL DEFAULT 1,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "kv_entry_pkey" PRIMARY KEY ("org_id","agent_id","key")
);

-- CreateTable
CREATE TABLE "file_entry" (
    "org_id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "content_type" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "file_entry_pkey" PRIMARY KEY ("org_id","agent_id","path")
);

-- CreateTable
CREATE TABLE "egress_denial" (
    "org_id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "port" INTEGER NOT NULL,
    "reason" TEXT NOT NULL,
    "count" INTEGER NOT NULL DEFAULT 1,
    "first_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "egress_denial_pkey" PRIMARY KEY ("org_id","agent_id","host","port")
);

-- CreateTable
CREATE TABLE "audit_entry" (
    "org_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor" TEXT NOT NULL,
    "via" TEXT NOT NULL,
    "on_behalf_of" TEXT,
    "ip" TEXT,
    "request_id" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "entity_id" TEXT NOT NULL,
    "before" JSON,
    "after" JSON,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("org_id","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "user_email_key" ON "user"("email");

-- CreateIndex
CREATE INDEX "user_session_user_id_idx" ON "user_session"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "org_slug_key_key" ON "org"("slug_key");

-- CreateIndex
CREATE INDEX "member_user_id_idx" ON "member"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_id_key" ON "api_key"("id");

-- CreateIndex
CREATE UNIQUE INDEX "agent_org_id_slug_key_key" ON "agent"("org_id", "slug_key");

-- CreateIndex
CREATE UNIQUE INDEX "deployment_org_id_id_key" ON "deployment"("org_id", "id");

-- CreateIndex
CREATE INDEX "session_org_id_agent_id_id_idx" ON "session"("org_id", "agent_id", "id" DESC);

-- CreateIndex
CREATE INDEX "session_org_id_agent_id_principal_id_idx" ON "session"("org_id", "agent_id", "principal", "id" DESC);

-- CreateIndex
CREATE INDEX "session_org_id_agent_id_channel_continuation_token_idx" ON "session"("org_id", "agent_id", "channel", "continuation_token");

-- CreateIndex
CREATE INDEX "message_org_id_session_id_id_idx" ON "message"("org_id", "session_id", "id");

-- CreateIndex
CREATE INDEX "turn_org_id_session_id_id_idx" ON "turn"("org_id", "session_id", "id");

-- CreateIndex
CREATE INDEX "step_org_id_session_id_idx" ON "step"("org_id", "session_id");

-- CreateIndex
CREATE INDEX "usage_entry_org_id_at_idx" ON "usage_entry"("org_id", "at");

-- AddForeignKey
ALTER TABLE "user_session" ADD CONSTRAINT "user_session_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "member" ADD CONSTRAINT "member_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "org"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "member" ADD CONSTRAINT "member_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "service_account" ADD CONSTRAINT "service_account_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "org"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_org_id_service_account_id_fkey" FOREIGN KEY ("org_id", "service_account_id") REFERENCES "service_account"("org_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_org_id_agent_id_fkey" FOREIGN KEY ("org_id", "agent_id") REFERENCES "agent"("org_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent" ADD CONSTRAINT "agent_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "org"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deployment" ADD CONSTRAINT "deployment_org_id_agent_id_fkey" FOREIGN KEY ("org_id", "agent_id") REFERENCES "agent"("org_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deployment_log" ADD CONSTRAINT "deployment_log_org_id_agent_id_version_fkey" FOREIGN KEY ("org_id", "agent_id", "version") REFERENCES "deployment"("org_id", "agent_id", "version") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "blob" ADD CONSTRAINT "blob_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "org"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "data_key" ADD CONSTRAINT "data_key_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "org"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "secret" ADD CONSTRAINT "secret_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "org"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_provider" ADD CONSTRAINT "model_provider_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "org"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_org_id_agent_id_fkey" FOREIGN KEY ("org_id", "agent_id") REFERENCES "agent"("org_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "event" ADD CONSTRAINT "event_org_id_session_id_fkey" FOREIGN KEY ("org_id", "session_id") REFERENCES "session"("org_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "message" ADD CONSTRAINT "message_org_id_session_id_fkey" FOREIGN KEY ("org_id", "session_id") REFERENCES "session"("org_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "turn" ADD CONSTRAINT "turn_org_id_session_id_fkey" FOREIGN KEY ("org_id", "session_id") REFERENCES "session"("org_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "step" ADD CONSTRAINT "step_org_id_turn_id_fkey" FOREIGN KEY ("org_id", "turn_id") REFERENCES "turn"("org_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tool_call" ADD CONSTRAINT "tool_call_org_id_turn_id_fkey" FOREIGN KEY ("org_id", "turn_id") REFERENCES "turn"("org_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "kv_entry" ADD CONSTRAINT "kv_entry_org_id_agent_id_fkey" FOREIGN KEY ("org_id", "agent_id") REFERENCES "agent"("org_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "file_entry" ADD CONSTRAINT "file_entry_org_id_agent_id_fkey" FOREIGN KEY ("org_id", "agent_id") REFERENCES "agent"("org_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "egress_denial" ADD CONSTRAINT "egress_denial_org_id_agent_id_fkey" FOREIGN KEY ("org_id", "agent_id") REFERENCES "agent"("org_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_entry" ADD CONSTRAINT "audit_entry_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "org"("id") ON DELETE CASCADE ON UPDATE CASCADE;


