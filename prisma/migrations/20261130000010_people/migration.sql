-- What a person does outside any org (signing in and out) is a row in the audit log of each org
-- the person belongs to. Called in the statement that makes the change, so both commit or none.
CREATE FUNCTION berth_audit_person(
  user_id text, action text, entity_id text, via text, ip text, request_id text)
RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public AS $$
  WITH written AS (
    INSERT INTO audit_entry (org_id, id, actor, via, ip, request_id, action, entity_id)
    SELECT m.org_id, gen_random_uuid()::text, 'user:' || $1, $4, $5, $6, $2, $3
    FROM member m WHERE m.user_id = $1
    RETURNING 1)
  SELECT count(*) FROM written
$$;

-- Makes creators of orgs take turns, so that a limit on their number holds under a race.
CREATE FUNCTION berth_lock_orgs() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public AS $$
  SELECT pg_advisory_xact_lock(72707370)
$$;

REVOKE ALL ON FUNCTION berth_audit_person(text, text, text, text, text, text), berth_lock_orgs()
  FROM PUBLIC;

-- The org a key belongs to, for a key whose secret was checked already.
CREATE FUNCTION berth_org_by_key(key_id text)
RETURNS TABLE (id text, slug text, name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT o.id, o.slug, o.name FROM api_key k JOIN org o ON o.id = k.org_id WHERE k.id = $1
$$;
REVOKE ALL ON FUNCTION berth_org_by_key(text) FROM PUBLIC;
