-- After a turn ended: what the session does now. A direct call that holds the session is not what the
-- session does, so that without anything behind it the session is idle.
-- The caller holds the lock on the session row.
CREATE OR REPLACE FUNCTION berth_settle_session(
  p_org text, p_session text, p_idle_type text, p_idle_data text, p_idle_status text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  -- What no worker takes at once for an org's share alone is told by the sweep.
  v_status text := berth_line_up(p_org, p_session, 1);
BEGIN
  IF EXISTS (
    SELECT 1 FROM turn
    WHERE org_id = p_org AND session_id = p_session AND ready AND status = 'running' AND kind = 'call')
  THEN
    v_status := CASE
      WHEN EXISTS (
        SELECT 1 FROM turn WHERE org_id = p_org AND session_id = p_session AND status = 'queued')
      OR EXISTS (
        SELECT 1 FROM message WHERE org_id = p_org AND session_id = p_session AND turn_id IS NULL)
      THEN 'queued' END;
  END IF;
  UPDATE session SET status = coalesce(v_status, p_idle_status) WHERE org_id = p_org AND id = p_session;
  IF v_status IS NULL THEN
    PERFORM berth_append_events(p_org, p_session, NULL, NULL, ARRAY[p_idle_type], ARRAY[p_idle_data]);
  END IF;
END $$;

DROP FUNCTION berth_complete_step(text, text, text, int, text, int, text[], text[], bigint[], int[],
  text[], text[], text[]);

-- Ends a step of a thread whose calls have all finished, with its last events. What the calls did to
-- the workspace is saved with their results. False where the owner was fenced.
CREATE FUNCTION berth_complete_step(
  p_org text, p_session text, p_turn text, p_epoch int, p_parent text, p_step int,
  p_types text[], p_data text[])
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF berth_append_events(p_org, p_session, p_epoch, p_turn, p_types, p_data) IS NULL THEN
    RETURN false;
  END IF;
  UPDATE step SET finished_at = clock_timestamp()
  WHERE org_id = p_org AND turn_id = p_turn AND parent_call_id = p_parent AND step = p_step;
  RETURN true;
END $$;

-- Keeps the answer of a request. False where the key has gone to somebody else, or where the session
-- that the answer speaks of has been erased meanwhile: then the key is free.
CREATE OR REPLACE FUNCTION berth_keep_answer(
  p_org text, p_principal text, p_method text, p_path text, p_key text, p_stamp text, p_hash text,
  p_status int, p_headers text, p_body bytea, p_created_id text, p_session text, p_keep interval)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  -- Only an answer with content can repeat what the session said. An erasure waits for this lock.
  IF p_session IS NOT NULL AND p_status BETWEEN 200 AND 299 AND p_status <> 204 THEN
    PERFORM 1 FROM session WHERE org_id = p_org AND id = p_session FOR KEY SHARE;
    IF NOT FOUND THEN
      PERFORM berth_hold_key(p_org, p_principal, p_method, p_path, p_key, p_stamp, NULL);
      RETURN false;
    END IF;
  END IF;
  UPDATE idempotency_key SET body_hash = p_hash, status = p_status, headers = p_headers::json,
    body = p_body, created_id = p_created_id, session_id = p_session,
    expires_at = clock_timestamp() + p_keep
  WHERE org_id = p_org AND principal = p_principal AND method = p_method AND path = p_path
    AND key = p_key AND created_at = p_stamp::timestamptz AND status IS NULL;
  RETURN FOUND;
END $$;

-- Takes a key, or says what is known of it. `claimed`: the caller runs the request.
CREATE OR REPLACE FUNCTION berth_claim_key(
  p_org text, p_principal text, p_method text, p_path text, p_key text, p_hash text, p_lease interval)
RETURNS TABLE (
  claimed boolean, stamp text, body_hash text, status int, headers json, body bytea, created_id text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
  v_stamp text;
BEGIN
  LOOP
    INSERT INTO idempotency_key AS k (org_id, principal, method, path, key, body_hash, created_at, expires_at)
    VALUES (p_org, p_principal, p_method, p_path, p_key, p_hash, v_now, v_now + p_lease)
    ON CONFLICT (org_id, principal, method, path, key) DO UPDATE
      -- Erasing the session of an answer that has expired must not free a key that is held again.
      SET body_hash = excluded.body_hash, status = NULL, headers = NULL, body = NULL, created_id = NULL,
        session_id = NULL, created_at = excluded.created_at, expires_at = excluded.expires_at
      WHERE k.expires_at <= v_now
    RETURNING k.created_at::text INTO v_stamp;
    IF FOUND THEN
      RETURN QUERY SELECT true, v_stamp, p_hash, NULL::int, NULL::json, NULL::bytea, NULL::text;
      RETURN;
    END IF;
    RETURN QUERY
      SELECT false, NULL::text, k.body_hash, k.status, k.headers, k.body, k.created_id
      FROM idempotency_key k
      WHERE k.org_id = p_org AND k.principal = p_principal AND k.method = p_method
        AND k.path = p_path AND k.key = p_key;
    -- Freed between the two statements: take it.
    IF FOUND THEN RETURN; END IF;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION
  berth_complete_step(text, text, text, int, text, int, text[], text[])
FROM PUBLIC;
