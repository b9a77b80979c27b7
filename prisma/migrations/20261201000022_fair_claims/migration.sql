-- Who runs what: fair claims, the sweep behind lost workers, and handing turns over.

DROP FUNCTION berth_claim_turns(text, int, interval);

-- Hands turns that are ready to a worker. An org's place in line counts the turns it runs already, so
-- that every org's first comes before any org's second, and none passes its cap or its agents' own.
-- Claims take turns on an advisory lock. Reads at most p_slots turns of each agent, however many wait.
-- A turn that comes back from being parked (no resumed_at) keeps its attempt.
CREATE FUNCTION berth_claim_turns(p_worker text, p_slots int, p_lease interval, p_share float8)
RETURNS TABLE (
  org_id text, turn_id text, session_id text, agent_id text, version int, attempt int, epoch int,
  announced boolean, wall_ms bigint, channel text, mode text, principal text, owner text,
  dry_run boolean, as_of timestamptz, message_ids text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
#variable_conflict use_column
DECLARE
  v_cap bigint;
  v_orgs text[];
  v_turns text[];
BEGIN
  PERFORM pg_advisory_xact_lock(7270737);
  v_cap := berth_org_cap(greatest(berth_live_slots(), p_slots), p_share);
  WITH RECURSIVE line AS (
    (SELECT t.org_id, t.agent_id FROM turn t WHERE t.status = 'queued' AND t.ready
     ORDER BY t.org_id, t.agent_id LIMIT 1)
    UNION ALL
    SELECT n.org_id, n.agent_id FROM line CROSS JOIN LATERAL (
      SELECT t.org_id, t.agent_id FROM turn t
      WHERE t.status = 'queued' AND t.ready AND (t.org_id, t.agent_id) > (line.org_id, line.agent_id)
      ORDER BY t.org_id, t.agent_id LIMIT 1) n),
  agents AS (
    SELECT a.org_id, a.id, a.active_version,
      CASE WHEN d.max_running_turns IS NULL THEN p_slots
        ELSE greatest(0, least(p_slots, d.max_running_turns - (
          SELECT count(*) FROM turn r WHERE r.org_id = a.org_id AND r.agent_id = a.id
            AND r.status = 'running' AND r.kind = 'model'))) END AS free
    FROM line JOIN agent a ON a.org_id = line.org_id AND a.id = line.agent_id
    LEFT JOIN deployment d ON d.org_id = a.org_id AND d.agent_id = a.id AND d.version = a.active_version),
  running AS (
    SELECT r.org_id, count(*) AS turns FROM turn r
    WHERE r.status = 'running' AND r.kind = 'model' GROUP BY r.org_id),
  waiting AS (
    SELECT agents.org_id, w.id, agents.active_version,
      coalesce(running.turns, 0)
        + row_number() OVER (PARTITION BY agents.org_id ORDER BY w.queued_at, w.id) AS place, w.queued_at
    FROM agents LEFT JOIN running ON running.org_id = agents.org_id
    CROSS JOIN LATERAL (
      SELECT t.id, t.queued_at FROM turn t
      WHERE t.org_id = agents.org_id AND t.agent_id = agents.id AND t.status = 'queued' AND t.ready
      ORDER BY t.queued_at, t.id
      LIMIT least(agents.free, greatest(0, v_cap - coalesce(running.turns, 0)))) w),
  fair AS MATERIALIZED (
    SELECT org_id, id, active_version FROM waiting WHERE place <= v_cap ORDER BY place, queued_at, id),
  -- Locks one after the other until there are enough; sessions that are just being changed are left.
  picked AS (
    SELECT locked.org_id, locked.id, locked.session_id, fair.active_version
    FROM fair CROSS JOIN LATERAL (
      SELECT t.org_id, t.id, t.session_id FROM turn t JOIN session s ON s.org_id = t.org_id AND s.id = t.session_id
      WHERE t.org_id = fair.org_id AND t.id = fair.id AND t.status = 'queued' AND t.ready
      FOR UPDATE OF s, t SKIP LOCKED) locked
    LIMIT p_slots),
  owned AS (
    UPDATE session s SET epoch = s.epoch + 1, status = 'running'
    FROM picked WHERE s.org_id = picked.org_id AND s.id = picked.session_id
    RETURNING picked.org_id, picked.id, picked.active_version, s.epoch),
  claimed AS (
    UPDATE turn t SET status = 'running', worker_id = p_worker, epoch = owned.epoch,
      version = coalesce(t.version, owned.active_version),
      attempt = t.attempt + CASE WHEN t.resumed_at IS NULL AND t.attempt > 0 THEN 0 ELSE 1 END,
      lease_until = clock_timestamp() + p_lease,
      started_at = coalesce(t.started_at, clock_timestamp()), resumed_at = clock_timestamp()
    FROM owned WHERE t.org_id = owned.org_id AND t.id = owned.id
    RETURNING t.org_id, t.id)
  SELECT array_agg(c.org_id), array_agg(c.id) INTO v_orgs, v_turns FROM claimed c;
  -- A second statement: it also sees the messages that joined while the first one found its turns.
  RETURN QUERY
  SELECT t.org_id, t.id, t.session_id, t.agent_id, t.version, t.attempt, t.epoch,
    t.announced = t.attempt, t.wall_ms, s.channel, s.mode, t.principal, s.principal, s.dry_run, s.as_of,
    ARRAY(SELECT m.id FROM message m
          WHERE m.org_id = t.org_id AND m.session_id = t.session_id AND m.turn_id = t.id
          ORDER BY m.created_at, m.id)
  FROM unnest(v_orgs, v_turns) AS c(org, id)
  JOIN turn t ON t.org_id = c.org AND t.id = c.id
  JOIN session s ON s.org_id = t.org_id AND s.id = t.session_id;
END $$;

-- Tells turns that wait longer than anybody foresaw that they do.
CREATE FUNCTION berth_tell_waiting(p_age interval, p_limit int)
RETURNS TABLE (session_id text) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_turn record;
  v_ahead bigint;
BEGIN
  FOR v_turn IN
    SELECT t.org_id, t.id, t.session_id, t.agent_id, t.queued_at
    FROM turn t JOIN session s ON s.org_id = t.org_id AND s.id = t.session_id
    WHERE t.status = 'queued' AND t.position IS NULL AND t.attempt = 0
      AND t.queued_at < clock_timestamp() - p_age
    ORDER BY t.queued_at LIMIT p_limit
    FOR UPDATE OF s, t SKIP LOCKED
  LOOP
    SELECT count(*) INTO v_ahead FROM turn o
    WHERE o.org_id = v_turn.org_id AND o.agent_id = v_turn.agent_id AND o.status = 'queued'
      AND (o.queued_at, o.id) < (v_turn.queued_at, v_turn.id);
    UPDATE turn t SET position = v_ahead WHERE t.org_id = v_turn.org_id AND t.id = v_turn.id;
    PERFORM berth_append_events(v_turn.org_id, v_turn.session_id, NULL, v_turn.id, ARRAY['turn.queued'],
      ARRAY[jsonb_build_object('position', v_ahead)::text]);
    session_id := v_turn.session_id;
    RETURN NEXT;
  END LOOP;
END $$;

-- Puts turns whose lease ran out back in line, or ends them when they lost p_attempts workers.
-- A direct call is never run again: what it did is not known, and nobody waits for it in the log.
CREATE OR REPLACE FUNCTION berth_sweep_turns(p_attempts int, p_error jsonb)
RETURNS TABLE (session_id text, turn_id text, requeued boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_turn record;
BEGIN
  FOR v_turn IN
    SELECT t.org_id, t.id, t.session_id, t.kind, t.lost + 1 AS lost
    FROM turn t JOIN session s ON s.org_id = t.org_id AND s.id = t.session_id
    WHERE t.status = 'running' AND t.lease_until < clock_timestamp()
    FOR UPDATE OF s, t SKIP LOCKED
  LOOP
    session_id := v_turn.session_id;
    turn_id := v_turn.id;
    requeued := v_turn.kind = 'model' AND v_turn.lost < p_attempts;
    UPDATE turn t SET lost = v_turn.lost,
      wall_ms = t.wall_ms + coalesce(1000 * extract(epoch FROM t.lease_until - t.resumed_at), 0)::bigint
    WHERE t.org_id = v_turn.org_id AND t.id = v_turn.id;
    IF requeued THEN
      UPDATE session s SET epoch = s.epoch + 1, status = 'queued'
      WHERE s.org_id = v_turn.org_id AND s.id = v_turn.session_id;
      UPDATE turn t SET status = 'queued', worker_id = NULL, lease_until = NULL
      WHERE t.org_id = v_turn.org_id AND t.id = v_turn.id;
    ELSIF v_turn.kind = 'model' THEN
      PERFORM berth_fence_turn(v_turn.org_id, v_turn.session_id, v_turn.id, 'failed', p_error);
      PERFORM berth_settle_fenced(v_turn.org_id, v_turn.session_id, p_error);
    ELSE
      UPDATE session s SET epoch = s.epoch + 1
      WHERE s.org_id = v_turn.org_id AND s.id = v_turn.session_id;
      UPDATE turn t SET status = 'failed', ended_at = clock_timestamp(), lease_until = NULL
      WHERE t.org_id = v_turn.org_id AND t.id = v_turn.id;
      PERFORM berth_settle_session(v_turn.org_id, v_turn.session_id, 'session.waiting', '{}', 'waiting');
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;

-- Hands a running turn back, unfinished, when its worker drains: another attempt, but no lost worker.
CREATE OR REPLACE FUNCTION berth_release_turn(p_org text, p_session text, p_turn text, p_epoch int)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  UPDATE session SET epoch = epoch + 1, status = 'queued'
  WHERE org_id = p_org AND id = p_session AND epoch = p_epoch;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE turn SET status = 'queued', worker_id = NULL, lease_until = NULL,
    wall_ms = wall_ms + coalesce(1000 * extract(epoch FROM clock_timestamp() - resumed_at), 0)::bigint
  WHERE org_id = p_org AND id = p_turn;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION
  berth_claim_turns(text, int, interval, float8), berth_tell_waiting(interval, int)
FROM PUBLIC;
