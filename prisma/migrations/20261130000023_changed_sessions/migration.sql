-- Which of many sessions have grown past a known length, ended or disappeared: one question for
-- all the tails of a process, asked when wakes may have been lost.
CREATE FUNCTION berth_changed_sessions(p_orgs text[], p_sessions text[], p_lengths int[])
RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT known.session
  FROM unnest(p_orgs, p_sessions, p_lengths) AS known(org, session, length)
  LEFT JOIN session s ON s.org_id = known.org AND s.id = known.session
  WHERE s.id IS NULL OR s.next_index <> known.length OR s.status IN ('completed', 'failed')
$$;

REVOKE ALL ON FUNCTION berth_changed_sessions(text[], text[], int[]) FROM PUBLIC;
