-- Steps and calls of threads (the agent itself, and each subagent by the call that started it),
-- parked turns, and saved workspaces. Each write is fenced by the session's epoch.

DROP FUNCTION berth_record_step(text, text, text, int, int, text, text, int, text, text, timestamptz,
  text[], text[], text[], boolean[], text[], text[]);
DROP FUNCTION berth_finish_call(text, text, text, int, text, boolean, text, text[], text[]);
DROP FUNCTION berth_complete_step(text, text, text, int, int, text[], text[]);
DROP FUNCTION berth_conversation(text, text);
DROP FUNCTION berth_record_usage(
  text, text, int, int, int, text, text, text, text, int, int, int, int, numeric, text);
DROP FUNCTION berth_claim_turns(text, int, interval);

-- Logs that an attempt of a turn begins. False where the owner was fenced.
CREATE FUNCTION berth_announce_turn(
  p_org text, p_session text, p_turn text, p_epoch int, p_types text[], p_data text[])
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF berth_append_events(p_org, p_session, p_epoch, p_turn, p_types, p_data) IS NULL THEN
    RETURN false;
  END IF;
  UPDATE turn SET announced = attempt WHERE org_id = p_org AND id = p_turn;
  RETURN true;
END $$;

-- A finished model call of a thread: its events, its step row and the rows of the calls it asked for.
-- Calls with run = true count as started from here on. False where the owner was fenced.
CREATE FUNCTION berth_record_step(
  p_org text, p_session text, p_turn text, p_epoch int, p_parent text, p_step int,
  p_provider text, p_model text, p_sdk int, p_messages text, p_usage text, p_started timestamptz,
  p_calls text[], p_tools text[], p_inputs text[], p_run boolean[], p_types text[], p_data text[])
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF berth_append_events(p_org, p_session, p_epoch, p_turn, p_types, p_data) IS NULL THEN
    RETURN false;
  END IF;
  INSERT INTO step (org_id, turn_id, parent_call_id, step, session_id, provider, model, sdk, messages,
    usage, started_at, finished_at)
  VALUES (p_org, p_turn, p_parent, p_step, p_session, p_provider, p_model, p_sdk, p_messages::json,
    p_usage::json, p_started, CASE WHEN cardinality(p_calls) = 0 THEN clock_timestamp() END);
  INSERT INTO tool_call (org_id, turn_id, call_id, session_id, parent_call_id, step, tool_name, input,
    attempt, started_at)
  SELECT p_org, p_turn, c.id, p_session, p_parent, p_step, c.tool, c.input::json,
    c.run::int, CASE WHEN c.run THEN clock_timestamp() END
  FROM unnest(p_calls, p_tools, p_inputs, p_run) AS c(id, tool, input, run);
  RETURN true;
END $$;

-- Keeps a call's result and logs it. False where the owner was fenced: the result is discarded.
CREATE FUNCTION berth_finish_call(
  p_org text, p_session text, p_turn text, p_epoch int, p_call text, p_is_error boolean,
  p_result text, p_stubbed boolean, p_artifact text, p_types text[], p_data text[])
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF berth_append_events(p_org, p_session, p_epoch, p_turn, p_types, p_data) IS NULL THEN
    RETURN false;
  END IF;
  UPDATE tool_call SET finished_at = clock_timestamp(), is_error = p_is_error, result = p_result::json,
    stubbed = p_stubbed, artifact_id = p_artifact
  WHERE org_id = p_org AND turn_id = p_turn AND call_id = p_call;
  RETURN true;
END $$;

-- Replaces what is saved of a workspace: files that changed, and paths that are gone.
-- The caller holds the lock on the session row.
CREATE FUNCTION berth_save_workspace(
  p_org text, p_session text, p_paths text[], p_shas text[], p_sizes bigint[], p_modes int[],
  p_gone text[])
RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_revision int;
BEGIN
  DELETE FROM workspace_file WHERE org_id = p_org AND session_id = p_session AND path = ANY (p_gone);
  INSERT INTO workspace_file (org_id, session_id, path, sha256, size, mode)
  SELECT p_org, p_session, f.path, f.sha, f.size, f.mode
  FROM unnest(p_paths, p_shas, p_sizes, p_modes) AS f(path, sha, size, mode)
  ON CONFLICT (org_id, session_id, path)
    DO UPDATE SET sha256 = excluded.sha256, size = excluded.size, mode = excluded.mode;
  UPDATE session SET workspace_revision = workspace_revision + 1
  WHERE org_id = p_org AND id = p_session RETURNING workspace_revision INTO v_revision;
  RETURN v_revision;
END $$;

-- Ends a step of a thread whose calls have all finished, with its last events, and in the same
-- statement saves what the batch did to the workspace (null paths: nothing changed).
-- Answers the workspace's revision, or null where the owner was fenced.
CREATE FUNCTION berth_complete_step(
  p_org text, p_session text, p_turn text, p_epoch int, p_parent text, p_step int,
  p_paths text[], p_shas text[], p_sizes bigint[], p_modes int[], p_gone text[],
  p_types text[], p_data text[])
RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF berth_append_events(p_org, p_session, p_epoch, p_turn, p_types, p_data) IS NULL THEN
    RETURN NULL;
  END IF;
  UPDATE step SET finished_at = clock_timestamp()
  WHERE org_id = p_org AND turn_id = p_turn AND parent_call_id = p_parent AND step = p_step;
  IF p_paths IS NOT NULL THEN
    RETURN berth_save_workspace(p_org, p_session, p_paths, p_shas, p_sizes, p_modes, p_gone);
  END IF;
  RETURN (SELECT workspace_revision FROM session WHERE org_id = p_org AND id = p_session);
END $$;

-- Sets a running turn aside while people decide: it holds no worker, no slot and no wall time.
-- False where the owner was fenced.
CREATE FUNCTION berth_park_turn(
  p_org text, p_session text, p_turn text, p_epoch int, p_types text[], p_data text[])
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF berth_append_events(p_org, p_session, p_epoch, p_turn, p_types, p_data) IS NULL THEN
    RETURN false;
  END IF;
  UPDATE session SET epoch = epoch + 1, status = 'parked' WHERE org_id = p_org AND id = p_session;
  UPDATE turn SET status = 'parked', worker_id = NULL, lease_until = NULL, resumed_at = NULL,
    wall_ms = wall_ms + coalesce(1000 * extract(epoch FROM clock_timestamp() - resumed_at), 0)::bigint
  WHERE org_id = p_org AND id = p_turn;
  -- A decision that came while the turn was still running.
  UPDATE turn SET status = 'queued', queued_at = clock_timestamp()
  WHERE org_id = p_org AND id = p_turn AND EXISTS (
    SELECT 1 FROM tool_call c JOIN approval a ON a.org_id = c.org_id AND a.call_id = c.call_id
    WHERE c.org_id = p_org AND c.turn_id = p_turn AND c.finished_at IS NULL AND a.decision <> 'pending');
  IF FOUND THEN UPDATE session SET status = 'queued' WHERE org_id = p_org AND id = p_session; END IF;
  RETURN true;
END $$;

-- Everything a session's conversation is rebuilt from, oldest first within each kind.
CREATE FUNCTION berth_conversation(p_org text, p_session text)
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
$$;

-- One ledger row per try of a model call; written whether or not the turn still has its owner.
CREATE FUNCTION berth_record_usage(
  p_org text, p_turn text, p_attempt int, p_parent text, p_step int, p_try int, p_session text,
  p_agent text, p_model text, p_provider text, p_input int, p_output int, p_cache_read int,
  p_cache_write int, p_cost numeric, p_price_version text)
RETURNS void LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public AS $$
  INSERT INTO usage_entry (org_id, turn_id, attempt, parent_call_id, step, try, session_id, agent_id,
    model, provider, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd,
    price_version)
  VALUES (p_org, p_turn, p_attempt, p_parent, p_step, p_try, p_session, p_agent, p_model, p_provider,
    p_input, p_output, p_cache_read, p_cache_write, p_cost, p_price_version)
$$;

-- Hands queued turns to a worker: one live turn per session, at most maxRunningTurns per agent,
-- every org's first waiting turn before any org's second. Claims take turns on an advisory lock.
-- A turn that comes back from being parked (no resumed_at) keeps its attempt.
CREATE FUNCTION berth_claim_turns(p_worker text, p_slots int, p_lease interval)
RETURNS TABLE (
  org_id text, turn_id text, session_id text, agent_id text, version int, attempt int, epoch int,
  announced boolean, wall_ms bigint, channel text, mode text, principal text, owner text,
  dry_run boolean, as_of timestamptz, message_ids text[])
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
      SELECT 1 FROM turn o WHERE o.org_id = t.org_id AND o.session_id = t.session_id AND o.id <> t.id
        AND (o.status IN ('running', 'parked')
          OR o.status = 'queued' AND (o.queued_at, o.id) < (t.queued_at, t.id)))),
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
    RETURNING picked.org_id, picked.id, picked.active_version, s.epoch, s.channel, s.mode,
      s.principal AS owner, s.dry_run, s.as_of)
  UPDATE turn t SET status = 'running', worker_id = p_worker, epoch = owned.epoch,
    version = coalesce(t.version, owned.active_version),
    attempt = t.attempt + CASE WHEN t.resumed_at IS NULL AND t.attempt > 0 THEN 0 ELSE 1 END,
    lease_until = clock_timestamp() + p_lease, started_at = coalesce(t.started_at, clock_timestamp()),
    resumed_at = clock_timestamp()
  FROM owned WHERE t.org_id = owned.org_id AND t.id = owned.id
  RETURNING t.org_id, t.id, t.session_id, t.agent_id, t.version, t.attempt, t.epoch,
    t.announced = t.attempt, t.wall_ms, owned.channel, owned.mode,
    CASE WHEN t.principal = '' THEN owned.owner ELSE t.principal END, owned.owner,
    owned.dry_run, owned.as_of,
    ARRAY(SELECT m.id FROM message m
          WHERE m.org_id = t.org_id AND m.session_id = t.session_id AND m.turn_id = t.id ORDER BY m.id);
END $$;

-- Puts turns whose lease ran out back in line, or ends them after their last attempt.
CREATE OR REPLACE FUNCTION berth_sweep_turns(p_attempts int, p_error jsonb)
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
      UPDATE turn t SET status = 'queued', worker_id = NULL, lease_until = NULL,
        wall_ms = t.wall_ms
          + coalesce(1000 * extract(epoch FROM t.lease_until - t.resumed_at), 0)::bigint
      WHERE t.org_id = v_turn.org_id AND t.id = v_turn.id;
    ELSE
      PERFORM berth_fence_turn(v_turn.org_id, v_turn.session_id, v_turn.id, 'failed', p_error);
      PERFORM berth_settle_session(v_turn.org_id, v_turn.session_id, 'session.waiting', '{}', 'waiting');
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;

-- Hands a running turn back, unfinished and without counting the attempt, when its worker drains.
CREATE OR REPLACE FUNCTION berth_release_turn(p_org text, p_session text, p_turn text, p_epoch int)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  UPDATE session SET epoch = epoch + 1, status = 'queued'
  WHERE org_id = p_org AND id = p_session AND epoch = p_epoch;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE turn SET status = 'queued', worker_id = NULL, lease_until = NULL, attempt = attempt - 1,
    wall_ms = wall_ms + coalesce(1000 * extract(epoch FROM clock_timestamp() - resumed_at), 0)::bigint
  WHERE org_id = p_org AND id = p_turn;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION
  berth_announce_turn(text, text, text, int, text[], text[]),
  berth_record_step(text, text, text, int, text, int, text, text, int, text, text, timestamptz, text[],
    text[], text[], boolean[], text[], text[]),
  berth_finish_call(text, text, text, int, text, boolean, text, boolean, text, text[], text[]),
  berth_save_workspace(text, text, text[], text[], bigint[], int[], text[]),
  berth_complete_step(text, text, text, int, text, int, text[], text[], bigint[], int[], text[], text[], text[]),
  berth_park_turn(text, text, text, int, text[], text[]),
  berth_conversation(text, text),
  berth_record_usage(text, text, int, text, int, int, text, text, text, text, int, int, int, int, numeric, text),
  berth_claim_turns(text, int, interval)
FROM PUBLIC;
