-- Artifacts of an agent in the order they were tagged: times of one agent differ, and grow as they commit.
CREATE INDEX "artifact_org_id_agent_id_created_at_idx"
  ON "artifact" ("org_id", "agent_id", "created_at");

-- Agents with artifacts whose time is over. Those of sessions at work wait until they rest.
CREATE FUNCTION berth_due_artifacts(p_limit int)
RETURNS TABLE (org_id text, agent_id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT DISTINCT d.org_id, d.agent_id FROM (
    SELECT a.org_id, a.agent_id
    FROM artifact a LEFT JOIN session s ON s.org_id = a.org_id AND s.id = a.session_id
    WHERE a.expires_at <= clock_timestamp()
      AND coalesce(s.status, '') NOT IN ('queued', 'running', 'parked')
    ORDER BY a.expires_at LIMIT p_limit) d
$$;

REVOKE ALL ON FUNCTION berth_due_artifacts(int) FROM PUBLIC;
