-- What a saved workspace holds of its version and of sent files, saved together with the results
-- of the calls that changed it.

ALTER TABLE "session" ADD COLUMN "workspace_version" INTEGER;
ALTER TABLE "message" ADD COLUMN "files_revision" INTEGER;

-- Saves changes `{ files: [{ path, sha256, size, mode }], gone: [path], version, messages: [id] }`.
-- The caller holds the lock on the session row. Answers the new revision.
CREATE FUNCTION berth_keep_workspace(p_org text, p_session text, p_changes json)
RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_revision int;
BEGIN
  SELECT berth_save_workspace(p_org, p_session,
    coalesce(array_agg(f.path ORDER BY f.path), '{}'),
    coalesce(array_agg(f.sha256 ORDER BY f.path), '{}'),
    coalesce(array_agg(f.size ORDER BY f.path), '{}'),
    coalesce(array_agg(f.mode ORDER BY f.path), '{}'),
    ARRAY(SELECT json_array_elements_text(p_changes -> 'gone')))
  INTO v_revision
  FROM json_to_recordset(p_changes -> 'files')
    AS f(path text, sha256 text, size bigint, mode int);
  UPDATE session SET workspace_version = (p_changes ->> 'version')::int
  WHERE org_id = p_org AND id = p_session;
  UPDATE message SET files_revision = v_revision
  WHERE org_id = p_org AND session_id = p_session
    AND id IN (SELECT json_array_elements_text(p_changes -> 'messages'));
  RETURN v_revision;
END $$;

-- The same for whoever holds the session outside of a step; null where it was fenced.
CREATE FUNCTION berth_save_held_workspace(p_org text, p_session text, p_epoch int, p_changes json)
RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM 1 FROM session WHERE org_id = p_org AND id = p_session AND epoch = p_epoch FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  RETURN berth_keep_workspace(p_org, p_session, p_changes);
END $$;

DROP FUNCTION berth_finish_call(text, text, text, int, text, boolean, text, boolean, text, text[], text[]);

-- Keeps a call's result and logs it, and in the same statement saves what the call did to the
-- workspace. Answers the workspace's revision, or null where the owner was fenced: nothing is kept.
CREATE FUNCTION berth_finish_call(
  p_org text, p_session text, p_turn text, p_epoch int, p_call text, p_is_error boolean,
  p_result text, p_stubbed boolean, p_artifact text, p_types text[], p_data text[],
  p_changes json DEFAULT NULL)
RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF berth_append_events(p_org, p_session, p_epoch, p_turn, p_types, p_data) IS NULL THEN
    RETURN NULL;
  END IF;
  UPDATE tool_call SET finished_at = clock_timestamp(), is_error = p_is_error, result = p_result::json,
    stubbed = p_stubbed, artifact_id = p_artifact
  WHERE org_id = p_org AND turn_id = p_turn AND call_id = p_call;
  IF p_changes IS NOT NULL THEN
    RETURN berth_keep_workspace(p_org, p_session, p_changes);
  END IF;
  RETURN (SELECT workspace_revision FROM session WHERE org_id = p_org AND id = p_session);
END $$;

REVOKE ALL ON FUNCTION
  berth_keep_workspace(text, text, json),
  berth_save_held_workspace(text, text, int, json),
  berth_finish_call(text, text, text, int, text, boolean, text, boolean, text, text[], text[], json)
FROM PUBLIC;
