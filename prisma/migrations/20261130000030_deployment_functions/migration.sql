-- Gives the oldest build that nobody works on to the caller, of whatever org: a new one, or one
-- whose worker has not renewed its lease. The attempt is the fence of everything it writes.
CREATE FUNCTION berth_claim_build(p_lease_seconds int)
RETURNS TABLE (org_id text, agent_id text, version int, attempt int)
LANGUAGE sql SECURITY DEFINER SET search_path = public AS $$
  UPDATE deployment d
  SET status = 'building', attempt = d.attempt + 1,
      started_at = coalesce(d.started_at, now()),
      lease_until = now() + make_interval(secs => p_lease_seconds)
  FROM (
    SELECT q.org_id, q.agent_id, q.version FROM deployment q
    WHERE q.status = 'queued' OR (q.status = 'building' AND q.lease_until <= now())
    ORDER BY q.created_at, q.version
    LIMIT 1 FOR UPDATE SKIP LOCKED
  ) due
  WHERE d.org_id = due.org_id AND d.agent_id = due.agent_id AND d.version = due.version
  RETURNING d.org_id, d.agent_id, d.version, d.attempt
$$;

REVOKE ALL ON FUNCTION berth_claim_build(int) FROM PUBLIC;
