-- Milliseconds until the earliest lease of a running turn ends, of any org; null without one. A
-- lease that is renewed ends far from now, so that one that ends soon is a lost worker's.
CREATE FUNCTION berth_next_lease_end() RETURNS float8
LANGUAGE sql SECURITY DEFINER SET search_path = public AS $$
  SELECT 1000 * extract(epoch FROM min(lease_until) - clock_timestamp())::float8
  FROM turn WHERE status = 'running'
$$;

REVOKE ALL ON FUNCTION berth_next_lease_end() FROM PUBLIC;
