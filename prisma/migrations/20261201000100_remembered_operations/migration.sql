-- What the operations of a request with a key led to commits with them. A request whose process died
-- before it answered is answered from that by whoever repeats it, and its operations happen once.
ALTER TABLE "idempotency_key" ADD COLUMN "results" BYTEA;

-- Notes what a request's operations led to so far, in the transaction of the last of them. False where
-- the key has gone to somebody else: then nothing of it may commit.
CREATE FUNCTION berth_remember_results(
  p_org text, p_principal text, p_method text, p_path text, p_key text, p_stamp text, p_hash text,
  p_results bytea, p_session text, p_lease interval)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  UPDATE idempotency_key SET body_hash = p_hash, results = p_results,
    -- Of a session that the operation itself erased nothing is kept but that.
    session_id = (SELECT s.id FROM session s WHERE s.org_id = p_org AND s.id = p_session),
    expires_at = clock_timestamp() + p_lease
  WHERE org_id = p_org AND principal = p_principal AND method = p_method AND path = p_path
    AND key = p_key AND created_at = p_stamp::timestamptz AND status IS NULL;
  RETURN FOUND;
END $$;

DROP FUNCTION berth_claim_key(text, text, text, text, text, text, interval);

-- Takes a key, or says what is known of it. `claimed`: the caller runs the request, from the results
-- that an earlier one left if its process died, which are those of the body of `body_hash`.
CREATE FUNCTION berth_claim_key(
  p_org text, p_principal text, p_method text, p_path text, p_key text, p_hash text, p_lease interval)
RETURNS TABLE (
  claimed boolean, stamp text, body_hash text, status int, headers json, body bytea, created_id text,
  results bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
BEGIN
  LOOP
    RETURN QUERY
      INSERT INTO idempotency_key AS k (org_id, principal, method, path, key, body_hash, created_at, expires_at)
      VALUES (p_org, p_principal, p_method, p_path, p_key, p_hash, v_now, v_now + p_lease)
      ON CONFLICT (org_id, principal, method, path, key) DO UPDATE
        -- Erasing the session of an answer that has expired must not free a key that is held again.
        SET body_hash = CASE WHEN berth_leaves_results(k, v_now) THEN k.body_hash ELSE excluded.body_hash END,
          results = CASE WHEN berth_leaves_results(k, v_now) THEN k.results END,
          session_id = CASE WHEN berth_leaves_results(k, v_now) THEN k.session_id END,
          status = NULL, headers = NULL, body = NULL, created_id = NULL,
          created_at = excluded.created_at, expires_at = excluded.expires_at
        WHERE k.expires_at <= v_now
          AND (NOT berth_leaves_results(k, v_now) OR p_hash IN ('', k.body_hash))
      RETURNING true, k.created_at::text, k.body_hash, NULL::int, NULL::json, NULL::bytea, NULL::text,
        k.results;
    IF FOUND THEN RETURN; END IF;
    RETURN QUERY
      SELECT false, NULL::text, k.body_hash, k.status, k.headers, k.body, k.created_id, NULL::bytea
      FROM idempotency_key k
      WHERE k.org_id = p_org AND k.principal = p_principal AND k.method = p_method
        AND k.path = p_path AND k.key = p_key;
    -- Freed between the two statements: take it.
    IF FOUND THEN RETURN; END IF;
  END LOOP;
END $$;

-- Whether a key holds the results of a request that was never answered, which count for a day.
CREATE FUNCTION berth_leaves_results(k idempotency_key, p_now timestamptz)
RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT k.results IS NOT NULL AND k.status IS NULL AND k.created_at > p_now - interval '24 hours'
$$;

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
    body = p_body, created_id = p_created_id, session_id = p_session, results = NULL,
    expires_at = clock_timestamp() + p_keep
  WHERE org_id = p_org AND principal = p_principal AND method = p_method AND path = p_path
    AND key = p_key AND created_at = p_stamp::timestamptz AND status IS NULL;
  RETURN FOUND;
END $$;

-- Removes keys that have expired, of every org.
CREATE OR REPLACE FUNCTION berth_sweep_keys(p_limit int)
RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_removed int;
BEGIN
  DELETE FROM idempotency_key WHERE ctid IN (
    SELECT ctid FROM idempotency_key k
    WHERE expires_at <= clock_timestamp() AND NOT berth_leaves_results(k, clock_timestamp())
    LIMIT p_limit FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS v_removed = ROW_COUNT;
  RETURN v_removed;
END $$;

REVOKE ALL ON FUNCTION
  berth_claim_key(text, text, text, text, text, text, interval),
  berth_remember_results(text, text, text, text, text, text, text, bytea, text, interval)
FROM PUBLIC;
