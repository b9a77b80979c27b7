-- Agents with artifacts whose time is over. A session at work is one with a live turn, direct calls
-- that hold it included: its artifacts wait until it rests.
CREATE OR REPLACE FUNCTION berth_due_artifacts(p_limit int)
RETURNS TABLE (org_id text, agent_id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT DISTINCT d.org_id, d.agent_id FROM (
    SELECT a.org_id, a.agent_id FROM artifact a
    WHERE a.expires_at <= clock_timestamp() AND NOT EXISTS (
      SELECT 1 FROM turn t WHERE t.org_id = a.org_id AND t.session_id = a.session_id
        AND t.status IN ('queued', 'running', 'parked'))
    ORDER BY a.expires_at LIMIT p_limit) d
$$;
