-- Asked before each invocation of an agent process, so in one round trip. Two counters that only
-- grow: the agent's secrets, and the org's where the version names some of them.
CREATE FUNCTION berth_secrets_revision(org_id text, agent_id text, with_org boolean) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT a.secrets_revision || CASE WHEN $3 THEN '.' || o.secrets_revision ELSE '' END
  FROM agent a JOIN org o ON o.id = a.org_id
  WHERE a.org_id = $1 AND a.id = $2
$$;

REVOKE ALL ON FUNCTION berth_secrets_revision(text, text, boolean) FROM PUBLIC;
