-- Kept answers may repeat what a session said: they go when it is erased.
ALTER TABLE "idempotency_key" ADD COLUMN "session_id" TEXT;
CREATE INDEX "idempotency_key_org_id_session_id_idx" ON "idempotency_key" ("org_id", "session_id");

CREATE FUNCTION berth_forget_session_keys()
RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  DELETE FROM idempotency_key WHERE org_id = OLD.org_id AND session_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER "session_keys_forgotten" AFTER DELETE ON "session"
  FOR EACH ROW EXECUTE FUNCTION berth_forget_session_keys();

DROP FUNCTION berth_keep_answer(text, text, text, text, text, text, text, int, text, bytea, text, interval);

-- Keeps the answer of a request. False where the key has gone to somebody else.
CREATE FUNCTION berth_keep_answer(
  p_org text, p_principal text, p_method text, p_path text, p_key text, p_stamp text, p_hash text,
  p_status int, p_headers text, p_body bytea, p_created_id text, p_session text, p_keep interval)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  UPDATE idempotency_key SET body_hash = p_hash, status = p_status, headers = p_headers::json,
    body = p_body, created_id = p_created_id, session_id = p_session,
    expires_at = clock_timestamp() + p_keep
  WHERE org_id = p_org AND principal = p_principal AND method = p_method AND path = p_path
    AND key = p_key AND created_at = p_stamp::timestamptz AND status IS NULL;
  RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION
  berth_forget_session_keys(),
  berth_keep_answer(text, text, text, text, text, text, text, int, text, bytea, text, text, interval)
FROM PUBLIC;
