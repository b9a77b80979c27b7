-- Turns: the rows, their order, leases and fences. Every function locks the session row first and
-- turns after it, so none of them deadlock. A session's epoch rises whenever its owner changes.

-- Whether a turn of the session waits to be claimed.
CREATE FUNCTION berth_has_queued(p_org text, p_session text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT EXISTS (SELECT 1 FROM turn WHERE org_id = p_org AND session_id = p_session AND status = 'queued')
$$;

-- Adds what a turn used to its session's totals, once, when the turn ends.
CREATE FUNCTION berth_add_usage(p_org text, p_session text, p_turn text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public AS $$
  UPDATE session s SET
    input_tokens = s.input_tokens + u.input, output_tokens = s.output_tokens + u.output,
    cache_read_tokens = s.cache_read_tokens + u.cache_read,
    cache_write_tokens = s.cache_write_tokens + u.cache_write,
    cost_usd = CASE WHEN u.cost IS NULL THEN s.cost_usd ELSE coalesce(s.cost_usd, 0) + u.cost END
  FROM (
    SELECT count(*) AS calls, coalesce(sum(input_tokens), 0) AS input,
      coalesce(sum(output_tokens), 0) AS output, coalesce(sum(cache_read_tokens), 0) AS cache_read,
      coalesce(sum(cache_write_tokens), 0) AS cache_write, sum(cost_usd) AS cost
    FROM usage_entry WHERE org_id = p_org AND turn_id = p_turn) u
  WHERE u.calls > 0 AND s.org_id = p_org AND s.id = p_session
$$;

-- Ends a turn without its owner: fences it if it runs, logs turn.failed.
-- The caller holds the lock on the session row.
CREATE FUNCTION berth_fence_turn(
  p_org text, p_session text, p_turn text, p_status text, p_error jsonb)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  UPDATE session SET epoch = epoch + 1 WHERE org_id = p_org AND id = p_session AND EXISTS (
    SELECT 1 FROM turn WHERE org_id = p_org AND id = p_turn AND status = 'running');
  UPDATE turn SET status = p_status, ended_at = clock_timestamp(), lease_until = NULL, error = p_error::json
  WHERE org_id = p_org AND id = p_turn;
  PERFORM berth_add_usage(p_org, p_session, p_turn);
  PERFORM berth_append_events(p_org, p_session, NULL, p_turn, ARRAY['turn.failed'],
    ARRAY[jsonb_build_object('status', p_status, 'error', p_error)::text]);
END $$;

-- After a turn ended: what the session does now. The caller holds the lock on the session row.
CREATE FUNCTION berth_settle_session(
  p_org text, p_session text, p_idle_type text, p_idle_data text, p_idle_status text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF berth_has_queued(p_org, p_session) THEN
    UPDATE session SET status = 'queued' WHERE org_id = p_org AND id = p_session;
  ELSE
    UPDATE session SET status = p_idle_status WHERE org_id = p_org AND id = p_session;
    PERFORM berth_append_events(p_org, p_session, NULL, NULL, ARRAY[p_idle_type], ARRAY[p_idle_data]);
  END IF;
END $$;

-- The outcome is `created`, `not_found` or `not_deployed`.
CREATE FUNCTION berth_create_session(
  p_org text, p_agent text, p_session text, p_channel text, p_mode text, p_principal text,
  p_title text, p_metadata text, p_token text, p_message text, p_turn text, p_text text,
  p_started text, p_received text)
RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_version int;
BEGIN
  SELECT active_version INTO v_version FROM agent WHERE org_id = p_org AND id = p_agent;
  IF NOT FOUND THEN RETURN 'not_found'; END IF;
  IF v_version IS NULL THEN RETURN 'not_deployed'; END IF;
  INSERT INTO session (org_id, id, agent_id, channel, mode, principal, title, metadata, continuation_token, status)
  VALUES (p_org, p_session, p_agent, p_channel, p_mode, p_principal, p_title, p_metadata::json, p_token, 'queued');
  INSERT INTO turn (org_id, id, session_id, agent_id, queued_at)
  VALUES (p_org, p_turn, p_session, p_agent, clock_timestamp());
  INSERT INTO message (org_id, id, session_id, turn_id, principal, text, created_at)
  VALUES (p_org, p_message, p_session, p_turn, p_principal, p_text, clock_timestamp());
  PERFORM berth_append_events(p_org, p_session, NULL, NULL,
    ARRAY['session.started', 'message.received'], ARRAY[p_started, p_received]);
  RETURN 'created';
END $$;

-- Whether a principal may act on a session of an agent: locks the session row.
-- The outcome is `ok`, `not_found` or `forbidden`.
CREATE FUNCTION berth_lock_session(p_org text, p_agent text, p_session text, p_principal text)
RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_principal text;
BEGIN
  SELECT principal INTO v_principal FROM session
  WHERE org_id = p_org AND id = p_session AND agent_id = p_agent FOR UPDATE;
  IF NOT FOUND THEN RETURN 'not_found'; END IF;
  IF v_principal <> p_principal THEN RETURN 'forbidden'; END IF;
  RETURN 'ok';
END $$;

-- A follow-up: rotates the token, cancels the running turn, queues a new one, in one step.
-- The outcome is `sent`, `not_found`, `forbidden`, `not_followable`, `not_deployed` or `stale`.
CREATE FUNCTION berth_send_message(
  p_org text, p_agent text, p_session text, p_principal text, p_token text, p_next_token text,
  p_message text, p_turn text, p_text text, p_received text, p_cancelled jsonb)
RETURNS TABLE (outcome text, cancelled_turn text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_session session;
  v_running text;
BEGIN
  outcome := berth_lock_session(p_org, p_agent, p_session, p_principal);
  IF outcome <> 'ok' THEN RETURN NEXT; RETURN; END IF;
  SELECT * INTO v_session FROM session WHERE org_id = p_org AND id = p_session;
  outcome := CASE
    WHEN v_session.mode = 'task' OR v_session.status IN ('completed', 'failed') THEN 'not_followable'
    WHEN p_token <> v_session.continuation_token THEN 'stale'
    WHEN (SELECT active_version FROM agent WHERE org_id = p_org AND id = p_agent) IS NULL THEN 'not_deployed'
    ELSE 'sent' END;
  IF outcome <> 'sent' THEN RETURN NEXT; RETURN; END IF;
  SELECT id INTO v_running FROM turn
  WHERE org_id = p_org AND session_id = p_session AND status = 'running';
  IF FOUND THEN
    PERFORM berth_fence_turn(p_org, p_session, v_running, 'cancelled', p_cancelled);
  END IF;
  INSERT INTO turn (org_id, id, session_id, agent_id, queued_at)
  VALUES (p_org, p_turn, p_session, p_agent, clock_timestamp());
  INSERT INTO message (org_id, id, session_id, turn_id, principal, text, created_at)
  VALUES (p_org, p_message, p_session, p_turn, p_principal, p_text, clock_timestamp());
  UPDATE session SET status = 'queued', continuation_token = coalesce(p_next_token, continuation_token)
  WHERE org_id = p_org AND id = p_session;
  PERFORM berth_append_events(p_org, p_session, NULL, NULL, ARRAY['message.received'], ARRAY[p_received]);
  cancelled_turn := v_running;
  RETURN NEXT;
END $$;

-- Stops the named turn, or the current one: the running one, else the first in line.
-- The outcome is `ok`, `not_found` or `forbidden`; `stopped` are the turns that ended.
CREATE FUNCTION berth_stop_turn(
  p_org text, p_agent text, p_session text, p_principal text, p_turn text, p_clear boolean,
  p_cancelled jsonb)
RETURNS TABLE (outcome text, stopped text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_turn text;
  v_current text;
BEGIN
  stopped := '{}';
  outcome := berth_lock_session(p_org, p_agent, p_session, p_principal);
  IF outcome <> 'ok' THEN RETURN NEXT; RETURN; END IF;
  SELECT id INTO v_current FROM turn
  WHERE org_id = p_org AND session_id = p_session AND status IN ('queued', 'running')
    AND (p_turn IS NULL OR id = p_turn)
  ORDER BY status = 'running' DESC, queued_at, id LIMIT 1;
  FOR v_turn IN
    SELECT id FROM turn
    WHERE org_id = p_org AND session_id = p_session
      AND (id = v_current AND status IN ('queued', 'running') OR p_clear AND status = 'queued')
    ORDER BY queued_at, id
  LOOP
    PERFORM berth_fence_turn(p_org, p_session, v_turn, 'cancelled', p_cancelled);
    stopped := stopped || v_turn;
  END LOOP;
  IF cardinality(stopped) > 0 AND NOT EXISTS (
    SELECT 1 FROM turn WHERE org_id = p_org AND session_id = p_session AND status = 'running')
  THEN
    PERFORM berth_settle_session(p_org, p_session, 'session.waiting', '{}', 'waiting');
  END IF;
  RETURN NEXT;
END $$;

-- Hands queued turns to a worker: one running turn per session, at most maxRunningTurns per agent,
-- every org's first waiting turn before any org's second. Claims take turns on an advisory lock.
CREATE FUNCTION berth_claim_turns(p_worker text, p_slots int, p_lease interval)
RETURNS TABLE (
  org_id text, turn_id text, session_id text, agent_id text, version int, attempt int, epoch int,
  channel text, mode text, principal text, message_ids text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
#variable_conflict use_column
BEGIN
  PERFORM pg_advisory_xact_lock(7270737);
  RETURN QUERY
  WITH waiting AS (
    SELECT t.org_id, t.id, t.agent_id, t.queued_at,
      row_number() OVER (PARTITION BY t.org_id ORDER BY t.queued_at, t.id) AS org_place,
      row_number() OVER (PARTITION BY t.org_id, t.agent_id ORDER BY t.queued_at, t.id) AS agent_place
    FROM turn t
    WHERE t.status = 'queued' AND NOT EXISTS (
      SELECT 1 FROM turn o WHERE o.org_id = t.org_id AND o.session_id = t.session_id
        AND (o.status = 'running' OR o.status = 'queued' AND (o.queued_at, o.id) < (t.queued_at, t.id)))),
  agents AS (
    SELECT a.org_id, a.id, a.active_version,
      coalesce((d.manifest ->> 'maxRunningTurns')::bigint, 9007199254740991)
        - (SELECT count(*) FROM turn r
           WHERE r.org_id = a.org_id AND r.agent_id = a.id AND r.status = 'running') AS free
    FROM (SELECT DISTINCT w.org_id, w.agent_id FROM waiting w) w
    JOIN agent a ON a.org_id = w.org_id AND a.id = w.agent_id
    LEFT JOIN deployment d ON d.org_id = a.org_id AND d.agent_id = a.id AND d.version = a.active_version),
  picked AS (
    SELECT t.org_id, t.id, t.session_id, agents.active_version
    FROM waiting
    JOIN agents ON agents.org_id = waiting.org_id AND agents.id = waiting.agent_id
    JOIN turn t ON t.org_id = waiting.org_id AND t.id = waiting.id
    JOIN session s ON s.org_id = t.org_id AND s.id = t.session_id
    WHERE t.status = 'queued' AND waiting.agent_place <= agents.free
    ORDER BY waiting.org_place, waiting.queued_at LIMIT p_slots
    FOR UPDATE OF s, t SKIP LOCKED),
  owned AS (
    UPDATE session s SET epoch = s.epoch + 1, status = 'running'
    FROM picked WHERE s.org_id = picked.org_id AND s.id = picked.session_id
    RETURNING picked.org_id, picked.id, picked.active_version, s.epoch, s.channel, s.mode, s.principal)
  UPDATE turn t SET status = 'running', worker_id = p_worker, epoch = owned.epoch,
    version = coalesce(t.version, owned.active_version), attempt = t.attempt + 1,
    lease_until = clock_timestamp() + p_lease, started_at = coalesce(t.started_at, clock_timestamp())
  FROM owned WHERE t.org_id = owned.org_id AND t.id = owned.id
  RETURNING t.org_id, t.id, t.session_id, t.agent_id, t.version, t.attempt, t.epoch,
    owned.channel, owned.mode, owned.principal,
    ARRAY(SELECT m.id FROM message m
          WHERE m.org_id = t.org_id AND m.session_id = t.session_id AND m.turn_id = t.id ORDER BY m.id);
END $$;

-- Renews the leases of the turns a worker says it runs; answers those that are still its own.
CREATE FUNCTION berth_renew_leases(
  p_worker text, p_orgs text[], p_turns text[], p_epochs int[], p_lease interval)
RETURNS TABLE (turn_id text, epoch int)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public AS $$
  UPDATE turn t SET lease_until = clock_timestamp() + p_lease
  FROM unnest(p_orgs, p_turns, p_epochs) AS held(org, id, epoch)
  WHERE t.org_id = held.org AND t.id = held.id AND t.epoch = held.epoch AND t.worker_id = p_worker AND t.status = 'running'
  RETURNING t.id, t.epoch
$$;

-- Puts turns whose lease ran out back in line, or ends them after their last attempt.
CREATE FUNCTION berth_sweep_turns(p_attempts int, p_error jsonb)
RETURNS TABLE (session_id text, turn_id text, requeued boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_turn record;
BEGIN
  FOR v_turn IN
    SELECT t.org_id, t.id, t.session_id, t.attempt
    FROM turn t JOIN session s ON s.org_id = t.org_id AND s.id = t.session_id
    WHERE t.status = 'running' AND t.lease_until < clock_timestamp()
    FOR UPDATE OF s, t SKIP LOCKED
  LOOP
    session_id := v_turn.session_id;
    turn_id := v_turn.id;
    requeued := v_turn.attempt < p_attempts;
    IF requeued THEN
      UPDATE session s SET epoch = s.epoch + 1, status = 'queued'
      WHERE s.org_id = v_turn.org_id AND s.id = v_turn.session_id;
      UPDATE turn t SET status = 'queued', worker_id = NULL, lease_until = NULL
      WHERE t.org_id = v_turn.org_id AND t.id = v_turn.id;
    ELSE
      PERFORM berth_fence_turn(v_turn.org_id, v_turn.session_id, v_turn.id, 'failed', p_error);
      PERFORM berth_settle_session(v_turn.org_id, v_turn.session_id, 'session.waiting', '{}', 'waiting');
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;

-- Hands a running turn back, unfinished and without counting the attempt, when its worker drains.
CREATE FUNCTION berth_release_turn(p_org text, p_session text, p_turn text, p_epoch int)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  UPDATE session SET epoch = epoch + 1, status = 'queued'
  WHERE org_id = p_org AND id = p_session AND epoch = p_epoch;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE turn SET status = 'queued', worker_id = NULL, lease_until = NULL, attempt = attempt - 1
  WHERE org_id = p_org AND id = p_turn;
  RETURN true;
END $$;

-- The owner's last write: its final events, the turn's end, the session's totals, and what the
-- session does next. False where the owner was fenced.
CREATE FUNCTION berth_finish_turn(
  p_org text, p_session text, p_turn text, p_epoch int, p_status text, p_error text,
  p_types text[], p_data text[], p_idle_type text, p_idle_data text, p_idle_status text)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF berth_append_events(p_org, p_session, p_epoch, p_turn, p_types, p_data) IS NULL THEN
    RETURN false;
  END IF;
  UPDATE turn SET status = p_status, error = p_error::json, ended_at = clock_timestamp(), lease_until = NULL
  WHERE org_id = p_org AND id = p_turn;
  UPDATE session SET epoch = epoch + 1 WHERE org_id = p_org AND id = p_session;
  PERFORM berth_add_usage(p_org, p_session, p_turn);
  PERFORM berth_settle_session(p_org, p_session, p_idle_type, p_idle_data, p_idle_status);
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION
  berth_has_queued(text, text), berth_add_usage(text, text, text),
  berth_fence_turn(text, text, text, text, jsonb),
  berth_settle_session(text, text, text, text, text),
  berth_create_session(text, text, text, text, text, text, text, text, text, text, text, text, text, text),
  berth_lock_session(text, text, text, text),
  berth_send_message(text, text, text, text, text, text, text, text, text, text, jsonb),
  berth_stop_turn(text, text, text, text, text, boolean, jsonb),
  berth_claim_turns(text, int, interval),
  berth_renew_leases(text, text[], text[], int[], interval),
  berth_sweep_turns(int, jsonb), berth_release_turn(text, text, text, int),
  berth_finish_turn(text, text, text, int, text, text, text[], text[], text, text, text)
FROM PUBLIC;
