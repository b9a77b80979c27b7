-- Look-ups that happen before the org is known. Each takes the full key it looks up by,
-- so that a caller learns nothing it could not name already.

CREATE FUNCTION berth_api_key(key_id text)
RETURNS TABLE (
  org_id text, hash bytea, service_account_id text, service_account_name text,
  permissions text[], agent_id text, expires_at timestamptz, revoked_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT k.org_id, k.hash, k.service_account_id, s.name, k.permissions, k.agent_id, k.expires_at, k.revoked_at
  FROM api_key k JOIN service_account s ON s.org_id = k.org_id AND s.id = k.service_account_id
  WHERE k.id = key_id
$$;

-- Records use at most once a minute, so that a busy key does not rewrite its row.
CREATE FUNCTION berth_touch_api_key(key_id text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public AS $$
  UPDATE api_key SET last_used_at = now()
  WHERE id = key_id AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
$$;

CREATE FUNCTION berth_org_by_slug(slug text)
RETURNS TABLE (id text, slug text, name text, settings jsonb)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT o.id, o.slug, o.name, o.settings FROM org o WHERE o.slug_key = lower($1)
$$;

CREATE FUNCTION berth_orgs_of_user(user_id text)
RETURNS TABLE (id text, slug text, name text, role text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT o.id, o.slug, o.name, m.role FROM member m JOIN org o ON o.id = m.org_id
  WHERE m.user_id = $1 ORDER BY o.slug_key
$$;

-- Org and agent in one round trip; an org without that agent gives a row with a null agent_id.
CREATE FUNCTION berth_agent_by_slug(org_slug text, agent_slug text)
RETURNS TABLE (
  org_id text, org_slug text, org_settings jsonb, agent_id text, agent_slug text,
  agent_kind text, active_version int, agent_settings jsonb)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT o.id, o.slug, o.settings, a.id, a.slug, a.kind, a.active_version, a.settings
  FROM org o LEFT JOIN agent a ON a.org_id = o.id AND a.slug_key = lower($2)
  WHERE o.slug_key = lower($1)
$$;

CREATE FUNCTION berth_org_count() RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT count(*) FROM org
$$;

-- The role of a person in an org, without opening a tenant transaction.
CREATE FUNCTION berth_member_role(org_id text, user_id text) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT m.role FROM member m JOIN "user" u ON u.id = m.user_id
  WHERE m.org_id = $1 AND m.user_id = $2 AND u.disabled_at IS NULL
$$;

REVOKE ALL ON FUNCTION berth_api_key(text), berth_touch_api_key(text), berth_org_by_slug(text),
  berth_orgs_of_user(text), berth_agent_by_slug(text, text), berth_org_count(),
  berth_member_role(text, text) FROM PUBLIC;
