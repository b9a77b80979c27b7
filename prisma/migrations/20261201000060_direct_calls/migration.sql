-- Direct calls that may change something hold their session like a turn that runs: a row of kind
-- 'call' with a lease, fenced by the session's epoch. The session's status stays what it was.

-- Takes an idle session for a call, and logs the call. The outcome is `held`, `busy`, `not_found` or
-- `forbidden`; with `held`, `epoch` is the holder's.
CREATE FUNCTION berth_begin_call(
  p_org text, p_agent text, p_session text, p_principal text, p_turn text, p_holder text,
  p_version int, p_lease interval, p_types text[], p_data text[])
RETURNS TABLE (outcome text, epoch int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
#variable_conflict use_column
BEGIN
  outcome := berth_lock_session(p_org, p_agent, p_session, p_principal);
  IF outcome <> 'ok' THEN RETURN NEXT; RETURN; END IF;
  IF EXISTS (
    SELECT 1 FROM turn WHERE org_id = p_org AND session_id = p_session
      AND status IN ('queued', 'running', 'parked'))
  THEN
    outcome := 'busy';
    RETURN NEXT;
    RETURN;
  END IF;
  UPDATE session s SET epoch = s.epoch + 1 WHERE s.org_id = p_org AND s.id = p_session
  RETURNING s.epoch INTO epoch;
  INSERT INTO turn (org_id, id, session_id, agent_id, kind, status, principal, version, attempt, epoch,
    worker_id, lease_until, queued_at, started_at, resumed_at)
  VALUES (p_org, p_turn, p_session, p_agent, 'call', 'running', p_principal, p_version, 1, epoch,
    p_holder, clock_timestamp() + p_lease, clock_timestamp(), clock_timestamp(), clock_timestamp());
  PERFORM berth_append_events(p_org, p_session, epoch, p_turn, p_types, p_data);
  outcome := 'held';
  RETURN NEXT;
END $$;

-- Frees a session that a call held: whatever waits behind it is next.
-- The caller holds the lock on the session row.
CREATE FUNCTION berth_free_session(p_org text, p_session text, p_turn text, p_status text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_next text;
BEGIN
  UPDATE session SET epoch = epoch + 1 WHERE org_id = p_org AND id = p_session;
  UPDATE turn SET status = p_status, ended_at = clock_timestamp(), lease_until = NULL
  WHERE org_id = p_org AND id = p_turn;
  v_next := berth_line_up(p_org, p_session, 1);
  IF v_next IS NOT NULL THEN
    UPDATE session SET status = v_next WHERE org_id = p_org AND id = p_session;
  END IF;
END $$;

-- The holder's last write: how the call ended. False where it lost the session: nothing is logged.
CREATE FUNCTION berth_end_call(
  p_org text, p_session text, p_turn text, p_epoch int, p_status text, p_types text[], p_data text[])
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF berth_append_events(p_org, p_session, p_epoch, p_turn, p_types, p_data) IS NULL THEN
    RETURN false;
  END IF;
  PERFORM berth_free_session(p_org, p_session, p_turn, p_status);
  RETURN true;
END $$;

-- Ends a call whose holder was lost: the log says that nobody knows what it did.
-- The caller holds the lock on the session row.
CREATE FUNCTION berth_abandon_call(p_org text, p_session text, p_turn text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_call json;
BEGIN
  SELECT data -> 'calls' -> 0 INTO v_call FROM event
  WHERE org_id = p_org AND session_id = p_session AND turn_id = p_turn AND type = 'actions.requested'
  ORDER BY index DESC LIMIT 1;
  PERFORM berth_append_events(p_org, p_session, NULL, p_turn,
    ARRAY['action.result', 'actions.completed'],
    ARRAY[jsonb_build_object('callId', v_call ->> 'callId', 'toolName', v_call ->> 'toolName',
        'isError', true, 'durationMs', 0,
        'result', 'The process that ran the call was lost. It may or may not have happened.')::text,
      jsonb_build_object('callIds', jsonb_build_array(v_call ->> 'callId'))::text]);
  PERFORM berth_free_session(p_org, p_session, p_turn, 'failed');
END $$;

-- Puts turns whose lease ran out back in line, or ends them when they lost p_attempts workers.
-- A direct call is never run again: what it did is not known, and the log says so.
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
      PERFORM berth_abandon_call(v_turn.org_id, v_turn.session_id, v_turn.id);
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION
  berth_begin_call(text, text, text, text, text, text, int, interval, text[], text[]),
  berth_free_session(text, text, text, text),
  berth_end_call(text, text, text, int, text, text[], text[]),
  berth_abandon_call(text, text, text)
FROM PUBLIC;
