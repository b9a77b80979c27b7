-- The session log. `berth_append_events` and `berth_append_deltas` are the only writers of "event".
-- The session row is locked by the UPDATE until commit, so indexes become visible in order.

ALTER TABLE "session" SET (fillfactor = 70);
ALTER TABLE "turn" SET (fillfactor = 70);
ALTER TABLE "tool_call" SET (fillfactor = 70);

CREATE INDEX "turn_live" ON "turn" (org_id, session_id, queued_at, id)
  WHERE status IN ('queued', 'running');
CREATE INDEX "turn_lease" ON "turn" (lease_until) WHERE status = 'running';

-- Appends events in order. With an epoch, only while the session still has it.
-- Answers the first index, or null where the session is gone or the epoch has passed.
CREATE FUNCTION berth_append_events(
  p_org text, p_session text, p_epoch int, p_turn text, p_types text[], p_data text[])
RETURNS int
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public AS $$
  WITH moved AS (
    UPDATE session SET next_index = next_index + cardinality(p_types), updated_at = clock_timestamp()
    WHERE org_id = p_org AND id = p_session AND (p_epoch IS NULL OR epoch = p_epoch)
    RETURNING next_index - cardinality(p_types) AS first),
  written AS (
    INSERT INTO event (org_id, session_id, index, type, turn_id, at, data)
    SELECT p_org, p_session, moved.first + e.n::int - 1, e.type, p_turn, clock_timestamp(), e.data::json
    FROM moved, unnest(p_types, p_data) WITH ORDINALITY AS e(type, data, n))
  SELECT first FROM moved
$$;

-- Appends the deltas of many sessions: owner i is (orgs[i], sessions[i], epochs[i], turns[i]),
-- event j belongs to owner owners[j]. Owners without a row in the answer were locked: try again.
CREATE FUNCTION berth_append_deltas(
  p_orgs text[], p_sessions text[], p_epochs int[], p_turns text[], p_counts int[],
  p_owners int[], p_places int[], p_types text[], p_data text[])
RETURNS TABLE (owner int, written boolean)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public AS $$
  WITH want AS (
    SELECT w.n::int AS owner, w.org, w.session, w.epoch, w.turn, w.count
    FROM unnest(p_orgs, p_sessions, p_epochs, p_turns, p_counts) WITH ORDINALITY
      AS w(org, session, epoch, turn, count, n)),
  got AS (
    SELECT want.owner, want.org, want.session, want.turn, want.count, s.epoch = want.epoch AS fresh
    FROM session s JOIN want ON s.org_id = want.org AND s.id = want.session
    ORDER BY s.id FOR UPDATE OF s SKIP LOCKED),
  moved AS (
    UPDATE session s SET next_index = s.next_index + got.count, updated_at = clock_timestamp()
    FROM got WHERE got.fresh AND s.org_id = got.org AND s.id = got.session
    RETURNING got.owner, got.org, got.session, got.turn, s.next_index - got.count AS first),
  put AS (
    INSERT INTO event (org_id, session_id, index, type, turn_id, at, data)
    SELECT moved.org, moved.session, moved.first + e.place, e.type, moved.turn, clock_timestamp(), e.data::json
    FROM moved JOIN unnest(p_owners, p_places, p_types, p_data) AS e(owner, place, type, data)
      ON e.owner = moved.owner)
  SELECT got.owner, got.fresh FROM got
  UNION ALL
  SELECT want.owner, false FROM want
  WHERE NOT EXISTS (SELECT 1 FROM session s WHERE s.org_id = want.org AND s.id = want.session)
$$;

-- A page of the log as ready wire lines joined by newlines: up to p_limit events and about
-- p_bytes of stored data, at least one event. `missing` is true for a session that is gone.
CREATE FUNCTION berth_read_events(
  p_org text, p_session text, p_from int, p_limit int, p_bytes int)
RETURNS TABLE (missing boolean, status text, next_index int, first int, count int, lines text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  WITH page AS (
    SELECT e.index, e.type, e.turn_id, e.at, e.data,
      sum(pg_column_size(e.data)) OVER (ORDER BY e.index) - pg_column_size(e.data) AS before
    FROM (SELECT * FROM event WHERE org_id = p_org AND session_id = p_session AND index >= p_from
          ORDER BY index LIMIT p_limit) e),
  joined AS (
    SELECT min(index) AS first, count(*)::int AS count,
      string_agg('{"type":"' || type || '","index":' || index || ',"sessionId":"' || p_session || '"'
        || coalesce(',"turnId":"' || turn_id || '"', '')
        || ',"at":"' || to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        || '","data":' || data::text || '}', E'\n' ORDER BY index) AS lines
    FROM page WHERE before < p_bytes)
  SELECT s.id IS NULL, s.status, s.next_index, joined.first, joined.count, joined.lines
  FROM joined LEFT JOIN session s ON s.org_id = p_org AND s.id = p_session
$$;

REVOKE ALL ON FUNCTION
  berth_append_events(text, text, int, text, text[], text[]),
  berth_append_deltas(text[], text[], int[], text[], int[], int[], int[], text[], text[]),
  berth_read_events(text, text, int, int, int)
FROM PUBLIC;
