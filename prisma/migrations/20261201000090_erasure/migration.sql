-- Sessions that are erased: their rows go at once, their bytes right after, and once more later,
-- in case somebody who did not know yet was still writing.

CREATE TABLE "erasure" (
  "org_id" TEXT NOT NULL,
  "holder" TEXT NOT NULL,
  "requested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "erasure_pkey" PRIMARY KEY ("org_id", "holder"),
  CONSTRAINT "erasure_org_id_fkey" FOREIGN KEY ("org_id")
    REFERENCES "org" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "erasure_requested_at_idx" ON "erasure" ("requested_at");
ALTER TABLE "erasure" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "erasure" USING (org_id = current_setting('app.org', true))
  WITH CHECK (org_id = current_setting('app.org', true));

CREATE INDEX "session_created_at_idx" ON "session" ("created_at");

-- Deletes a session with everything that hangs on it. Whoever runs a turn of it is fenced by that.
-- A principal may erase only its own; null may erase any. `stopped` are the turns that were live.
CREATE FUNCTION berth_erase_session(p_org text, p_agent text, p_session text, p_principal text)
RETURNS TABLE (outcome text, stopped text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_owner text;
BEGIN
  stopped := '{}';
  SELECT principal INTO v_owner FROM session
  WHERE org_id = p_org AND id = p_session AND agent_id = p_agent FOR UPDATE;
  outcome := CASE
    WHEN NOT FOUND THEN 'not_found'
    WHEN p_principal IS NOT NULL AND v_owner <> p_principal THEN 'forbidden'
    ELSE 'ok' END;
  IF outcome <> 'ok' THEN RETURN NEXT; RETURN; END IF;
  SELECT coalesce(array_agg(id), '{}') INTO stopped FROM turn
  WHERE org_id = p_org AND session_id = p_session AND status IN ('queued', 'running', 'parked');
  INSERT INTO erasure (org_id, holder) VALUES (p_org, p_session) ON CONFLICT DO NOTHING;
  DELETE FROM session WHERE org_id = p_org AND id = p_session;
  RETURN NEXT;
END $$;

-- Idle sessions that are older than their agent keeps them, oldest first.
CREATE FUNCTION berth_expired_sessions(p_default_days int, p_limit int)
RETURNS TABLE (org_id text, agent_id text, session_id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT s.org_id, s.agent_id, s.id
  FROM session s JOIN agent a ON a.org_id = s.org_id AND a.id = s.agent_id
  CROSS JOIN LATERAL (
    SELECT clock_timestamp() - make_interval(
      days => coalesce((a.settings ->> 'retentionDays')::int, p_default_days)) AS kept_since) k
  WHERE s.created_at < k.kept_since AND s.updated_at < k.kept_since
    AND s.status IN ('waiting', 'completed', 'failed')
  ORDER BY s.created_at LIMIT p_limit
$$;

-- Holders whose bytes are to be erased once more.
CREATE FUNCTION berth_due_erasures(p_age interval, p_limit int)
RETURNS TABLE (org_id text, holder text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT e.org_id, e.holder FROM erasure e
  WHERE e.requested_at < clock_timestamp() - p_age ORDER BY e.requested_at LIMIT p_limit
$$;

REVOKE ALL ON FUNCTION
  berth_erase_session(text, text, text, text),
  berth_expired_sessions(int, int),
  berth_due_erasures(interval, int)
FROM PUBLIC;
