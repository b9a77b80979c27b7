-- Keys of requests that must happen once. `created_at` is the stamp of whoever runs the request: a
-- key whose lease ran out is given to the next, and the one before can no longer write to it.

-- Takes a key, or says what is known of it. `claimed`: the caller runs the request.
CREATE FUNCTION berth_claim_key(
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
      SET body_hash = excluded.body_hash, status = NULL, headers = NULL, body = NULL, created_id = NULL,
        created_at = excluded.created_at, expires_at = excluded.expires_at
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

-- Keeps the answer of a request. False where the key has gone to somebody else.
CREATE FUNCTION berth_keep_answer(
  p_org text, p_principal text, p_method text, p_path text, p_key text, p_stamp text, p_hash text,
  p_status int, p_headers text, p_body bytea, p_created_id text, p_keep interval)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  UPDATE idempotency_key SET body_hash = p_hash, status = p_status, headers = p_headers::json,
    body = p_body, created_id = p_created_id, expires_at = clock_timestamp() + p_keep
  WHERE org_id = p_org AND principal = p_principal AND method = p_method AND path = p_path
    AND key = p_key AND created_at = p_stamp::timestamptz AND status IS NULL;
  RETURN FOUND;
END $$;

-- Holds a key longer while its request runs (with a lease), or frees it (without).
CREATE FUNCTION berth_hold_key(
  p_org text, p_principal text, p_method text, p_path text, p_key text, p_stamp text, p_lease interval)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF p_lease IS NULL THEN
    DELETE FROM idempotency_key
    WHERE org_id = p_org AND principal = p_principal AND method = p_method AND path = p_path
      AND key = p_key AND created_at = p_stamp::timestamptz AND status IS NULL;
  ELSE
    UPDATE idempotency_key SET expires_at = clock_timestamp() + p_lease
    WHERE org_id = p_org AND principal = p_principal AND method = p_method AND path = p_path
      AND key = p_key AND created_at = p_stamp::timestamptz AND status IS NULL;
  END IF;
END $$;

-- Removes keys that have expired, of every org.
CREATE FUNCTION berth_sweep_keys(p_limit int)
RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_removed int;
BEGIN
  DELETE FROM idempotency_key WHERE ctid IN (
    SELECT ctid FROM idempotency_key WHERE expires_at <= clock_timestamp()
    LIMIT p_limit FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS v_removed = ROW_COUNT;
  RETURN v_removed;
END $$;

REVOKE ALL ON FUNCTION
  berth_claim_key(text, text, text, text, text, text, interval),
  berth_keep_answer(text, text, text, text, text, text, text, int, text, bytea, text, interval),
  berth_hold_key(text, text, text, text, text, text, interval),
  berth_sweep_keys(int)
FROM PUBLIC;
