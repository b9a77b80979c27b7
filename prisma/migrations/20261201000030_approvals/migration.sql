-- Approvals: asking for a decision, taking it once, and deciding what nobody did. Every function
-- locks the session row first, so a decision and the turn's own writes come one after the other.

CREATE INDEX "approval_org_pending" ON "approval" (org_id, (decision = 'pending') DESC, call_id DESC);
CREATE INDEX "approval_agent_pending"
  ON "approval" (org_id, agent_id, (decision = 'pending') DESC, call_id DESC);

-- Asks people about a call, with its events. The call counts as not started: it runs once, when it
-- is approved. False where the owner was fenced.
CREATE FUNCTION berth_request_approval(
  p_org text, p_session text, p_turn text, p_epoch int, p_call text, p_agent text, p_version int,
  p_tool text, p_input text, p_hash text, p_expires timestamptz, p_types text[], p_data text[])
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF berth_append_events(p_org, p_session, p_epoch, p_turn, p_types, p_data) IS NULL THEN
    RETURN false;
  END IF;
  INSERT INTO approval (org_id, call_id, session_id, turn_id, agent_id, version, tool_name, input, hash,
    expires_at)
  VALUES (p_org, p_call, p_session, p_turn, p_agent, p_version, p_tool, p_input::json, p_hash, p_expires);
  UPDATE tool_call SET started_at = NULL, attempt = 0
  WHERE org_id = p_org AND turn_id = p_turn AND call_id = p_call;
  RETURN true;
END $$;

-- Puts a turn that is set aside back in line, at once: it is its session's next. Logs turn.queued where
-- a worker cannot take it yet. The caller holds the lock on the session row.
CREATE FUNCTION berth_return_turn(p_org text, p_session text, p_turn text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_agent text;
  v_ahead int;
BEGIN
  SELECT agent_id INTO v_agent FROM turn WHERE org_id = p_org AND id = p_turn AND status = 'parked';
  IF NOT FOUND THEN RETURN; END IF;
  -- The turn itself still counts as what its session is at.
  v_ahead := berth_turns_ahead(p_org, v_agent, p_session, true, 1) - 1;
  UPDATE turn SET status = 'queued', queued_at = clock_timestamp(), position = v_ahead
  WHERE org_id = p_org AND id = p_turn;
  UPDATE session SET status = 'queued' WHERE org_id = p_org AND id = p_session;
  IF v_ahead IS NOT NULL THEN
    PERFORM berth_append_events(p_org, p_session, NULL, p_turn, ARRAY['turn.queued'],
      ARRAY[json_build_object('position', v_ahead)::text]);
  END IF;
END $$;

-- Sets a running turn aside while people decide: it holds no worker, no slot and no wall time.
-- False where the owner was fenced.
CREATE OR REPLACE FUNCTION berth_park_turn(
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
  IF EXISTS (
    SELECT 1 FROM tool_call c JOIN approval a ON a.org_id = c.org_id AND a.call_id = c.call_id
    WHERE c.org_id = p_org AND c.turn_id = p_turn AND c.finished_at IS NULL AND a.decision <> 'pending')
  THEN PERFORM berth_return_turn(p_org, p_session, p_turn); END IF;
  RETURN true;
END $$;

-- Keeps the first decision on a call and logs it; a turn that is set aside goes back in line.
-- The caller holds the lock on the session row. Answers the turn, or null where it was decided before.
CREATE FUNCTION berth_settle_approval(
  p_org text, p_session text, p_call text, p_decision text, p_by text, p_reason text)
RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_turn text;
BEGIN
  UPDATE approval SET decision = p_decision, "by" = p_by, reason = p_reason, decided_at = clock_timestamp()
  WHERE org_id = p_org AND session_id = p_session AND call_id = p_call AND decision = 'pending'
  RETURNING turn_id INTO v_turn;
  IF NOT FOUND THEN RETURN NULL; END IF;
  PERFORM berth_append_events(p_org, p_session, NULL, v_turn, ARRAY['action.approval_resolved'],
    ARRAY[json_strip_nulls(json_build_object(
      'callId', p_call, 'decision', p_decision, 'by', p_by, 'reason', p_reason))::text]);
  PERFORM berth_return_turn(p_org, p_session, v_turn);
  RETURN v_turn;
END $$;

-- A person's decision. Null for p_agent or p_session: any of the org. Whoever asked may decide only
-- where the turn's version allows it, and so may people of channels.
-- The outcome is `decided`, `not_found`, `self`, `channel` or `resolved`.
CREATE FUNCTION berth_decide_approval(
  p_org text, p_agent text, p_session text, p_call text, p_decision text, p_by text, p_channel boolean,
  p_reason text)
RETURNS TABLE (outcome text, session_id text, turn_id text, agent_id text, tool_name text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
#variable_conflict use_column
DECLARE
  v_self boolean;
  v_channel boolean;
  v_asked boolean;
BEGIN
  SELECT a.session_id, a.turn_id, a.agent_id, a.tool_name, p_by IN (s.principal, t.principal),
    coalesce((d.manifest -> 'approvals' ->> 'self')::boolean, false),
    coalesce((d.manifest -> 'approvals' ->> 'channel')::boolean, false)
  INTO session_id, turn_id, agent_id, tool_name, v_asked, v_self, v_channel
  FROM approval a
  JOIN session s ON s.org_id = a.org_id AND s.id = a.session_id
  JOIN turn t ON t.org_id = a.org_id AND t.id = a.turn_id
  LEFT JOIN deployment d ON d.org_id = a.org_id AND d.agent_id = a.agent_id AND d.version = a.version
  WHERE a.org_id = p_org AND a.call_id = p_call
    AND (p_agent IS NULL OR a.agent_id = p_agent) AND (p_session IS NULL OR a.session_id = p_session)
  FOR UPDATE OF s;
  outcome := CASE
    WHEN NOT FOUND THEN 'not_found'
    WHEN v_asked AND NOT v_self THEN 'self'
    WHEN p_channel AND NOT v_channel THEN 'channel'
    WHEN berth_settle_approval(p_org, session_id, p_call, p_decision, p_by, p_reason) IS NULL THEN 'resolved'
    ELSE 'decided' END;
  RETURN NEXT;
END $$;

-- Denies what nobody decided in time. Sessions that are busy are left for the next sweep.
CREATE FUNCTION berth_expire_approvals(p_limit int, p_reason text)
RETURNS TABLE (session_id text, turn_id text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_due record;
BEGIN
  FOR v_due IN
    SELECT a.org_id, a.session_id, a.call_id
    FROM approval a JOIN session s ON s.org_id = a.org_id AND s.id = a.session_id
    WHERE a.decision = 'pending' AND a.expires_at <= clock_timestamp()
    ORDER BY a.expires_at LIMIT p_limit
    FOR UPDATE OF s SKIP LOCKED
  LOOP
    session_id := v_due.session_id;
    turn_id := berth_settle_approval(v_due.org_id, v_due.session_id, v_due.call_id, 'deny', 'system', p_reason);
    IF turn_id IS NOT NULL THEN RETURN NEXT; END IF;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION
  berth_return_turn(text, text, text),
  berth_request_approval(text, text, text, int, text, text, int, text, text, text, timestamptz, text[], text[]),
  berth_settle_approval(text, text, text, text, text, text),
  berth_decide_approval(text, text, text, text, text, text, boolean, text),
  berth_expire_approvals(int, text)
FROM PUBLIC;
