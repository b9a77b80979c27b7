-- What the project's result.ts said to a turn's final text, and summaries that stand for what a
-- thread's conversation was before. Both are kept once and never made again.

CREATE TABLE "result_commit" (
  "org_id" TEXT NOT NULL,
  "turn_id" TEXT NOT NULL,
  "step" INTEGER NOT NULL,
  "session_id" TEXT NOT NULL,
  "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "outcome" TEXT,
  "message" TEXT,
  CONSTRAINT "result_commit_pkey" PRIMARY KEY ("org_id", "turn_id", "step"),
  CONSTRAINT "result_commit_org_id_turn_id_fkey" FOREIGN KEY ("org_id", "turn_id")
    REFERENCES "turn" ("org_id", "id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "result_commit_org_id_session_id_idx" ON "result_commit" ("org_id", "session_id");

CREATE TABLE "compaction" (
  "org_id" TEXT NOT NULL,
  "turn_id" TEXT NOT NULL,
  "parent_call_id" TEXT NOT NULL DEFAULT '',
  "step" INTEGER NOT NULL,
  "from_step" INTEGER NOT NULL,
  "session_id" TEXT NOT NULL,
  "summary" TEXT NOT NULL,
  "usage" JSON NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "compaction_pkey" PRIMARY KEY ("org_id", "turn_id", "parent_call_id", "step"),
  CONSTRAINT "compaction_org_id_turn_id_fkey" FOREIGN KEY ("org_id", "turn_id")
    REFERENCES "turn" ("org_id", "id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "compaction_org_id_session_id_idx" ON "compaction" ("org_id", "session_id");

DO $$
DECLARE
  tenant_table text;
BEGIN
  FOREACH tenant_table IN ARRAY ARRAY['result_commit', 'compaction']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format(
      'CREATE POLICY tenant ON %I USING (org_id = current_setting(''app.org'', true)) '
      'WITH CHECK (org_id = current_setting(''app.org'', true))', tenant_table);
  END LOOP;
END $$;

-- Notes that the commit of a final text begins. False where the owner was fenced.
CREATE FUNCTION berth_start_commit(
  p_org text, p_session text, p_turn text, p_epoch int, p_step int, p_types text[], p_data text[])
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF berth_append_events(p_org, p_session, p_epoch, p_turn, p_types, p_data) IS NULL THEN
    RETURN false;
  END IF;
  INSERT INTO result_commit (org_id, turn_id, step, session_id)
  VALUES (p_org, p_turn, p_step, p_session);
  RETURN true;
END $$;

-- Notes how it ended. False where the owner was fenced.
CREATE FUNCTION berth_finish_commit(
  p_org text, p_session text, p_turn text, p_epoch int, p_step int, p_outcome text, p_message text,
  p_types text[], p_data text[])
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF berth_append_events(p_org, p_session, p_epoch, p_turn, p_types, p_data) IS NULL THEN
    RETURN false;
  END IF;
  UPDATE result_commit SET outcome = p_outcome, message = p_message
  WHERE org_id = p_org AND turn_id = p_turn AND step = p_step;
  RETURN true;
END $$;

-- Keeps the summary that stands for a thread's conversation before `p_from`, made before `p_step`.
-- False where the owner was fenced.
CREATE FUNCTION berth_record_compaction(
  p_org text, p_session text, p_turn text, p_epoch int, p_parent text, p_step int, p_from int,
  p_summary text, p_usage text, p_types text[], p_data text[])
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF berth_append_events(p_org, p_session, p_epoch, p_turn, p_types, p_data) IS NULL THEN
    RETURN false;
  END IF;
  INSERT INTO compaction (org_id, turn_id, parent_call_id, step, from_step, session_id, summary, usage)
  VALUES (p_org, p_turn, p_parent, p_step, p_from, p_session, p_summary, p_usage::json);
  RETURN true;
END $$;

-- Everything a session's conversation is rebuilt from, oldest first within each kind.
CREATE OR REPLACE FUNCTION berth_conversation(p_org text, p_session text)
RETURNS TABLE (kind text, turn_id text, id text, parent text, step int, body text, about json)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  (SELECT 'message', m.turn_id, m.id, '', coalesce(m.at_step, 0), m.text,
     json_build_object('joined', m.at_step IS NOT NULL)
   FROM message m WHERE m.org_id = p_org AND m.session_id = p_session AND m.turn_id IS NOT NULL
   ORDER BY m.created_at, m.id)
  UNION ALL
  (SELECT 'step', s.turn_id, NULL, s.parent_call_id, s.step, s.messages::text,
     json_build_object('provider', s.provider, 'model', s.model, 'sdk', s.sdk, 'usage', s.usage,
       'finished', s.finished_at IS NOT NULL)
   FROM step s WHERE s.org_id = p_org AND s.session_id = p_session
   ORDER BY s.turn_id, s.parent_call_id, s.step)
  UNION ALL
  (SELECT 'call', c.turn_id, c.call_id, c.parent_call_id, c.step, c.result::text,
     json_build_object('toolName', c.tool_name, 'input', c.input, 'attempt', c.attempt,
       'started', c.started_at IS NOT NULL, 'finished', c.finished_at IS NOT NULL,
       'isError', c.is_error, 'artifactId', c.artifact_id)
   FROM tool_call c JOIN turn t ON t.org_id = c.org_id AND t.id = c.turn_id
   WHERE t.org_id = p_org AND t.session_id = p_session)
  UNION ALL
  (SELECT 'commit', r.turn_id, NULL, '', r.step, r.message, json_build_object('outcome', r.outcome)
   FROM result_commit r WHERE r.org_id = p_org AND r.session_id = p_session
   ORDER BY r.turn_id, r.step)
  UNION ALL
  (SELECT 'compaction', k.turn_id, NULL, k.parent_call_id, k.step, k.summary,
     json_build_object('fromStep', k.from_step, 'usage', k.usage)
   FROM compaction k WHERE k.org_id = p_org AND k.session_id = p_session
   ORDER BY k.turn_id, k.parent_call_id, k.step)
$$;

REVOKE ALL ON FUNCTION
  berth_start_commit(text, text, text, int, int, text[], text[]),
  berth_finish_commit(text, text, text, int, int, text, text, text[], text[]),
  berth_record_compaction(text, text, text, int, text, int, int, text, text, text[], text[])
FROM PUBLIC;
