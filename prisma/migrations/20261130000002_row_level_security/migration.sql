-- Every table with an org_id shows only the rows of the org in app.org to any role but the owner.
-- A new tenant table needs a line here (in its own migration): a test compares the catalog with the schema.
DO $$
DECLARE
  tenant_table text;
BEGIN
  FOR tenant_table IN
    SELECT c.table_name FROM information_schema.columns c
    WHERE c.table_schema = 'public' AND c.column_name = 'org_id'
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format(
      'CREATE POLICY tenant ON %I USING (org_id = current_setting(''app.org'', true)) '
      'WITH CHECK (org_id = current_setting(''app.org'', true))', tenant_table);
  END LOOP;
END $$;

ALTER TABLE "org" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "org"
  USING (id = current_setting('app.org', true))
  WITH CHECK (id = current_setting('app.org', true));
