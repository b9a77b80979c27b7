-- Admission: how a message becomes, joins, interrupts or waits for a turn, and how turns end without
-- their owner. Every function locks the session row first and its turns after it.
--
-- Of a session's live turns (queued, running, parked) exactly one is `ready`: the one that runs,
-- or the next. A message without a turn waits for the turn that runs now, and never outlives it.

DROP FUNCTION berth_has_queued(text, text);
DROP FUNCTION berth_create_session(text, text, text, text, text, text, text, text, text, text, text,
  text, text, text);
DROP FUNCTION berth_send_message(text, text, text, text, text, text, text, text, text, text, jsonb);

-- How many turns one org may run: a share of all slots while there is another org, else all of them.
CREATE FUNCTION berth_org_cap(p_slots bigint, p_share float8) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT CASE WHEN (SELECT count(*) FROM (SELECT 1 FROM org LIMIT 2) o) > 1
    THEN greatest(1, floor(p_share * p_slots)::bigint) ELSE p_slots END
$$;

-- Slots of the workers that were seen lately and still take turns.
CREATE FUNCTION berth_live_slots() RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT coalesce(sum(slots), 0) FROM worker
  WHERE NOT draining AND seen_at > clock_timestamp() - interval '5 seconds'
$$;

-- What a turn that is queued now has to wait for, as the number of the agent's turns before it: those
-- in line, those that fill the agent's own cap, and the one its session is at. Null where nothing is
-- in its way: a worker takes it at once.
CREATE FUNCTION berth_turns_ahead(
  p_org text, p_agent text, p_session text, p_ready boolean, p_share float8)
RETURNS int LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_max bigint;
  v_slots bigint;
  v_running bigint := 0;
  v_queued bigint := 0;
  v_own int := 0;
BEGIN
  SELECT d.max_running_turns INTO v_max FROM agent a
  JOIN deployment d ON d.org_id = a.org_id AND d.agent_id = a.id AND d.version = a.active_version
  WHERE a.org_id = p_org AND a.id = p_agent;
  IF v_max IS NOT NULL THEN
    SELECT count(*) INTO v_running FROM turn
    WHERE org_id = p_org AND agent_id = p_agent AND status = 'running' AND kind = 'model';
    SELECT count(*) INTO v_queued FROM (
      SELECT 1 FROM turn WHERE org_id = p_org AND agent_id = p_agent AND status = 'queued' AND ready
      LIMIT v_max) q;
  END IF;
  IF p_ready AND (v_max IS NULL OR v_running + v_queued < v_max) THEN
    v_slots := berth_live_slots();
    IF (SELECT count(*) FROM (
          SELECT 1 FROM turn WHERE status = 'running' AND kind = 'model' LIMIT v_slots) r) < v_slots
      AND (SELECT count(*) FROM turn WHERE org_id = p_org AND status = 'running' AND kind = 'model')
        < berth_org_cap(v_slots, p_share)
    THEN RETURN NULL; END IF;
  END IF;
  SELECT count(*) INTO v_queued FROM turn
  WHERE org_id = p_org AND agent_id = p_agent AND status = 'queued';
  SELECT count(*) INTO v_own FROM turn
  WHERE org_id = p_org AND session_id = p_session AND ready
    AND (status = 'parked' OR status = 'running' AND (v_max IS NULL OR kind <> 'model'));
  RETURN v_running + v_queued + v_own;
END $$;

-- Puts a turn at the end of its session's line; logs turn.queued where it has to wait.
-- The caller holds the lock on the session row.
CREATE FUNCTION berth_queue_turn(
  p_org text, p_agent text, p_session text, p_turn text, p_principal text, p_share float8)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_last timestamptz;
  v_ahead int;
BEGIN
  SELECT max(queued_at) INTO v_last FROM turn
  WHERE org_id = p_org AND session_id = p_session AND status IN ('queued', 'running', 'parked');
  v_ahead := berth_turns_ahead(p_org, p_agent, p_session, v_last IS NULL, p_share);
  INSERT INTO turn (org_id, id, session_id, agent_id, principal, ready, position, queued_at)
  VALUES (p_org, p_turn, p_session, p_agent, p_principal, v_last IS NULL, v_ahead,
    greatest(clock_timestamp(), v_last + interval '1 millisecond'));
  IF v_ahead IS NOT NULL THEN
    PERFORM berth_append_events(p_org, p_session, NULL, p_turn, ARRAY['turn.queued'],
      ARRAY[jsonb_build_object('position', v_ahead)::text]);
  END IF;
END $$;

-- Gives every message that waits a turn: one turn for each principal, in the order of their first
-- messages, named after the first. With p_cancelled these turns have ended before they began.
-- The caller holds the lock on the session row. Answers the turns.
CREATE FUNCTION berth_take_pending(p_org text, p_session text, p_share float8, p_cancelled jsonb)
RETURNS text[] LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_group record;
  v_turn text;
  v_agent text;
  v_turns text[] := '{}';
BEGIN
  FOR v_group IN
    SELECT principal, array_agg(id ORDER BY created_at, id) AS ids FROM message
    WHERE org_id = p_org AND session_id = p_session AND turn_id IS NULL
    GROUP BY principal ORDER BY min(created_at), min(id)
  LOOP
    v_turn := 'trn_' || substr(v_group.ids[1], 5);
    v_turns := v_turns || v_turn;
    SELECT agent_id INTO v_agent FROM session WHERE org_id = p_org AND id = p_session;
    UPDATE message SET turn_id = v_turn WHERE org_id = p_org AND id = ANY (v_group.ids);
    PERFORM berth_append_events(p_org, p_session, NULL, v_turn, ARRAY['message.delivered'],
      ARRAY[jsonb_build_object('messageIds', v_group.ids, 'turnId', v_turn)::text]);
    IF p_cancelled IS NULL THEN
      PERFORM berth_queue_turn(p_org, v_agent, p_session, v_turn, v_group.principal, p_share);
    ELSE
      INSERT INTO turn (org_id, id, session_id, agent_id, principal, ready, status, error, ended_at)
      VALUES (p_org, v_turn, p_session, v_agent, v_group.principal, false, 'cancelled',
        p_cancelled::json, clock_timestamp());
      PERFORM berth_append_events(p_org, p_session, NULL, v_turn, ARRAY['turn.failed'],
        ARRAY[jsonb_build_object('status', 'cancelled', 'error', p_cancelled)::text]);
    END IF;
  END LOOP;
  RETURN v_turns;
END $$;

-- Resolves what waits for people's decisions as denied by the system, because its turn ends.
-- The caller holds the lock on the session row.
CREATE FUNCTION berth_resolve_approvals(p_org text, p_session text, p_turn text, p_reason text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_calls text[];
BEGIN
  WITH resolved AS (
    UPDATE approval SET decision = 'deny', by = 'system', reason = p_reason, decided_at = clock_timestamp()
    WHERE org_id = p_org AND session_id = p_session AND turn_id = p_turn AND decision = 'pending'
    RETURNING call_id, requested_at)
  SELECT array_agg(call_id ORDER BY requested_at, call_id) INTO v_calls FROM resolved;
  IF v_calls IS NULL THEN RETURN; END IF;
  PERFORM berth_append_events(p_org, p_session, NULL, p_turn,
    array_fill('action.approval_resolved'::text, ARRAY[cardinality(v_calls)]),
    ARRAY(SELECT jsonb_build_object('callId', c.id, 'decision', 'deny', 'by', 'system',
        'reason', p_reason)::text
      FROM unnest(v_calls) WITH ORDINALITY AS c(id, n) ORDER BY c.n));
END $$;

-- Ends a turn without its owner: fences it if it runs, denies what it waits for, logs turn.failed.
-- The caller holds the lock on the session row.
CREATE OR REPLACE FUNCTION berth_fence_turn(
  p_org text, p_session text, p_turn text, p_status text, p_error jsonb)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  UPDATE session SET epoch = epoch + 1 WHERE org_id = p_org AND id = p_session AND EXISTS (
    SELECT 1 FROM turn WHERE org_id = p_org AND id = p_turn AND status = 'running');
  UPDATE turn SET status = p_status, ended_at = clock_timestamp(), lease_until = NULL, error = p_error::json
  WHERE org_id = p_org AND id = p_turn;
  PERFORM berth_add_usage(p_org, p_session, p_turn);
  PERFORM berth_resolve_approvals(p_org, p_session, p_turn, p_error ->> 'message');
  PERFORM berth_append_events(p_org, p_session, NULL, p_turn, ARRAY['turn.failed'],
    ARRAY[jsonb_build_object('status', p_status, 'error', p_error)::text]);
END $$;

-- Where no turn is at work in the session, makes the first in line ready and lines up what waits.
-- The caller holds the lock on the session row. Answers the status of the turn that is ready, if any.
CREATE FUNCTION berth_line_up(p_org text, p_session text, p_share float8)
RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_status text;
BEGIN
  SELECT status INTO v_status FROM turn
  WHERE org_id = p_org AND session_id = p_session AND ready AND status IN ('queued', 'running', 'parked');
  IF FOUND THEN RETURN v_status; END IF;
  UPDATE turn SET ready = true WHERE org_id = p_org AND id = (
    SELECT id FROM turn WHERE org_id = p_org AND session_id = p_session AND status = 'queued'
    ORDER BY queued_at, id LIMIT 1);
  IF FOUND THEN v_status := 'queued'; END IF;
  IF cardinality(berth_take_pending(p_org, p_session, p_share, NULL)) > 0 THEN v_status := 'queued'; END IF;
  RETURN v_status;
END $$;

-- After a turn ended: what the session does now. The caller holds the lock on the session row.
CREATE OR REPLACE FUNCTION berth_settle_session(
  p_org text, p_session text, p_idle_type text, p_idle_data text, p_idle_status text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  -- What no worker takes at once for an org's share alone is told by the sweep.
  v_status text := berth_line_up(p_org, p_session, 1);
BEGIN
  UPDATE session SET status = coalesce(v_status, p_idle_status) WHERE org_id = p_org AND id = p_session;
  IF v_status IS NULL THEN
    PERFORM berth_append_events(p_org, p_session, NULL, NULL, ARRAY[p_idle_type], ARRAY[p_idle_data]);
  END IF;
END $$;

-- After a turn ended without its owner: a task ends with it, a chat goes on.
-- The caller holds the lock on the session row.
CREATE FUNCTION berth_settle_fenced(p_org text, p_session text, p_error jsonb)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM session WHERE org_id = p_org AND id = p_session AND mode = 'task') THEN
    PERFORM berth_settle_session(p_org, p_session, 'session.failed',
      jsonb_build_object('error', p_error)::text, 'failed');
  ELSE
    PERFORM berth_settle_session(p_org, p_session, 'session.waiting', '{}', 'waiting');
  END IF;
END $$;

-- The outcome is `created`, `not_found` or `not_deployed`.
CREATE FUNCTION berth_create_session(
  p_org text, p_agent text, p_session text, p_channel text, p_mode text, p_principal text,
  p_title text, p_metadata text, p_dry_run boolean, p_as_of timestamptz, p_token text,
  p_message text, p_turn text, p_text text, p_files text, p_types text[], p_data text[], p_share float8)
RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_version int;
BEGIN
  SELECT active_version INTO v_version FROM agent WHERE org_id = p_org AND id = p_agent;
  IF NOT FOUND THEN RETURN 'not_found'; END IF;
  IF v_version IS NULL THEN RETURN 'not_deployed'; END IF;
  INSERT INTO session (org_id, id, agent_id, channel, mode, principal, title, metadata, dry_run, as_of,
    continuation_token, status)
  VALUES (p_org, p_session, p_agent, p_channel, p_mode, p_principal, p_title, p_metadata::json, p_dry_run,
    p_as_of, p_token, 'queued');
  INSERT INTO message (org_id, id, session_id, turn_id, principal, text, files, created_at)
  VALUES (p_org, p_message, p_session, p_turn, p_principal, p_text, p_files::json, clock_timestamp());
  PERFORM berth_append_events(p_org, p_session, NULL, NULL, p_types, p_data);
  PERFORM berth_queue_turn(p_org, p_agent, p_session, p_turn, p_principal, p_share);
  RETURN 'created';
END $$;

-- A follow-up, in one step. Preempting ends the turn that runs; what waited for that turn comes before
-- the new message. A direct call that holds the session is not interrupted. p_channel is the channel that let the sender in; without it only the
-- session's own principal may send. The outcome is `sent`, `not_found`, `forbidden`,
-- `not_followable`, `not_deployed` or `stale`; `turn_id` is the message's turn, null while it waits.
CREATE FUNCTION berth_send_message(
  p_org text, p_agent text, p_session text, p_principal text, p_channel text, p_admission text,
  p_token text, p_next_key text, p_message text, p_turn text, p_text text, p_files text,
  p_types text[], p_data text[], p_cancelled jsonb, p_share float8)
RETURNS TABLE (outcome text, turn_id text, cancelled_turn text, token text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
#variable_conflict use_column
DECLARE
  v_session session;
  v_head turn;
  v_turn text := p_turn;
  v_cancelled text;
BEGIN
  outcome := berth_lock_session(p_org, p_agent, p_session,
    CASE WHEN p_channel IS NULL THEN p_principal END);
  IF outcome <> 'ok' THEN RETURN NEXT; RETURN; END IF;
  SELECT * INTO v_session FROM session WHERE org_id = p_org AND id = p_session;
  outcome := CASE
    WHEN p_channel <> v_session.channel THEN 'not_found'
    WHEN v_session.mode = 'task' OR v_session.status IN ('completed', 'failed') THEN 'not_followable'
    WHEN p_token <> v_session.continuation_token THEN 'stale'
    WHEN (SELECT active_version FROM agent WHERE org_id = p_org AND id = p_agent) IS NULL THEN 'not_deployed'
    ELSE 'sent' END;
  IF outcome <> 'sent' THEN RETURN NEXT; RETURN; END IF;
  SELECT * INTO v_head FROM turn
  WHERE org_id = p_org AND session_id = p_session AND ready AND status IN ('queued', 'running', 'parked');
  IF p_admission = 'coalesce' AND v_head.id IS NOT NULL THEN
    SELECT id INTO v_turn FROM turn
    WHERE org_id = p_org AND session_id = p_session AND status = 'queued' AND attempt = 0
      AND principal = p_principal
    ORDER BY queued_at DESC, id DESC LIMIT 1;
    -- Only a turn that has begun takes messages later; behind others that wait, it queues its own.
    IF v_turn IS NULL AND v_head.status = 'queued' AND v_head.attempt = 0 THEN v_turn := p_turn; END IF;
  ELSIF v_head.id IS NOT NULL THEN
    IF v_head.kind = 'model' AND (v_head.status <> 'queued' OR v_head.attempt > 0) THEN
      v_cancelled := v_head.id;
      PERFORM berth_fence_turn(p_org, p_session, v_cancelled, 'cancelled', p_cancelled);
      PERFORM berth_line_up(p_org, p_session, p_share);
    END IF;
    PERFORM berth_take_pending(p_org, p_session, p_share, NULL);
  END IF;
  INSERT INTO message (org_id, id, session_id, turn_id, principal, text, files, created_at)
  VALUES (p_org, p_message, p_session, v_turn, p_principal, p_text, p_files::json, clock_timestamp());
  PERFORM berth_append_events(p_org, p_session, NULL, NULL, p_types, p_data);
  IF v_turn = p_turn THEN
    PERFORM berth_queue_turn(p_org, p_agent, p_session, p_turn, p_principal, p_share);
  END IF;
  UPDATE session SET continuation_token = coalesce(channel || ':' || p_next_key, continuation_token),
    status = CASE WHEN v_cancelled IS NULL AND v_head.id IS NOT NULL THEN status ELSE 'queued' END
  WHERE org_id = p_org AND id = p_session
  RETURNING continuation_token INTO token;
  turn_id := v_turn;
  cancelled_turn := v_cancelled;
  RETURN NEXT;
END $$;

-- Hands messages that wait to the turn that runs, if they are of its principal, as what `p_step` is
-- the first to see. Null where the owner was fenced; else what was delivered, in order.
CREATE FUNCTION berth_deliver_messages(p_org text, p_session text, p_turn text, p_epoch int, p_step int)
RETURNS json LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_principal text;
  v_ids text[];
BEGIN
  IF NOT EXISTS (
    SELECT 1 FROM message WHERE org_id = p_org AND session_id = p_session AND turn_id IS NULL)
  THEN RETURN '[]'; END IF;
  PERFORM 1 FROM session WHERE org_id = p_org AND id = p_session AND epoch = p_epoch FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT principal INTO v_principal FROM turn WHERE org_id = p_org AND id = p_turn;
  SELECT array_agg(id ORDER BY created_at, id) INTO v_ids FROM message
  WHERE org_id = p_org AND session_id = p_session AND turn_id IS NULL AND principal = v_principal;
  IF v_ids IS NULL THEN RETURN '[]'; END IF;
  UPDATE message SET turn_id = p_turn, at_step = p_step WHERE org_id = p_org AND id = ANY (v_ids);
  PERFORM berth_append_events(p_org, p_session, p_epoch, p_turn, ARRAY['message.delivered'],
    ARRAY[jsonb_build_object('messageIds', v_ids, 'turnId', p_turn)::text]);
  RETURN (SELECT json_agg(json_build_object('id', m.id, 'text', m.text, 'files', m.files)
      ORDER BY m.created_at, m.id)
    FROM message m WHERE m.org_id = p_org AND m.id = ANY (v_ids));
END $$;

-- Stops the named turn, or else the one that runs or is next, and with p_clear all that wait.
-- Nothing is stopped where the named turn is over.
-- The outcome is `ok`, `not_found` or `forbidden`; `stopped` are the turns that ended.
CREATE OR REPLACE FUNCTION berth_stop_turn(
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
  WHERE org_id = p_org AND session_id = p_session AND status IN ('queued', 'running', 'parked')
    AND kind = 'model' AND (id = p_turn OR p_turn IS NULL AND ready);
  IF v_current IS NULL AND p_turn IS NOT NULL THEN RETURN NEXT; RETURN; END IF;
  FOR v_turn IN
    SELECT id FROM turn
    WHERE org_id = p_org AND session_id = p_session AND status IN ('queued', 'running', 'parked')
      AND (id = v_current OR p_clear AND status = 'queued')
    ORDER BY queued_at, id
  LOOP
    PERFORM berth_fence_turn(p_org, p_session, v_turn, 'cancelled', p_cancelled);
    stopped := stopped || v_turn;
  END LOOP;
  IF p_clear THEN stopped := stopped || berth_take_pending(p_org, p_session, 1, p_cancelled); END IF;
  IF cardinality(stopped) > 0 THEN
    PERFORM berth_settle_fenced(p_org, p_session, p_cancelled);
  END IF;
  RETURN NEXT;
END $$;

-- The owner's last write: its final events, the turn's end, the session's totals, and what the
-- session does next. False where the owner was fenced.
CREATE OR REPLACE FUNCTION berth_finish_turn(
  p_org text, p_session text, p_turn text, p_epoch int, p_status text, p_error text,
  p_types text[], p_data text[], p_idle_type text, p_idle_data text, p_idle_status text)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM 1 FROM session WHERE org_id = p_org AND id = p_session AND epoch = p_epoch FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM berth_resolve_approvals(p_org, p_session, p_turn, coalesce(p_error::json ->> 'message', 'The turn ended.'));
  PERFORM berth_append_events(p_org, p_session, p_epoch, p_turn, p_types, p_data);
  UPDATE turn SET status = p_status, error = p_error::json, ended_at = clock_timestamp(), lease_until = NULL
  WHERE org_id = p_org AND id = p_turn;
  UPDATE session SET epoch = epoch + 1 WHERE org_id = p_org AND id = p_session;
  PERFORM berth_add_usage(p_org, p_session, p_turn);
  PERFORM berth_settle_session(p_org, p_session, p_idle_type, p_idle_data, p_idle_status);
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION
  berth_org_cap(bigint, float8), berth_live_slots(),
  berth_turns_ahead(text, text, text, boolean, float8),
  berth_queue_turn(text, text, text, text, text, float8),
  berth_take_pending(text, text, float8, jsonb),
  berth_resolve_approvals(text, text, text, text),
  berth_line_up(text, text, float8), berth_settle_fenced(text, text, jsonb),
  berth_create_session(text, text, text, text, text, text, text, text, boolean, timestamptz, text, text,
    text, text, text, text[], text[], float8),
  berth_send_message(text, text, text, text, text, text, text, text, text, text, text, text, text[], text[],
    jsonb, float8),
  berth_deliver_messages(text, text, text, int, int)
FROM PUBLIC;
