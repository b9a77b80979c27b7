-- Steps and calls of a running turn. Each write is fenced by the session's epoch through the append.

-- A finished model call: its events, its step row and the rows of the calls it asked for.
-- Calls with run = true count as started from here on. False where the owner was fenced.
CREATE FUNCTION berth_record_step(
  p_org text, p_session text, p_turn text, p_epoch int, p_step int,
  p_provider text, p_model text, p_sdk int, p_messages text, p_usage text, p_started timestamptz,
  p_calls text[], p_tools text[], p_inputs text[], p_run boolean[], p_types text[], p_data text[])
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF berth_append_events(p_org, p_session, p_epoch, p_turn, p_types, p_data) IS NULL THEN
    RETURN false;
  END IF;
  INSERT INTO step (org_id, turn_id, step, session_id, provider, model, sdk, messages, usage, started_at, finished_at)
  VALUES (p_org, p_turn, p_step, p_session, p_provider, p_model, p_sdk, p_messages::json, p_usage::json,
    p_started, CASE WHEN cardinality(p_calls) = 0 THEN clock_timestamp() END);
  INSERT INTO tool_call (org_id, turn_id, call_id, session_id, step, tool_name, input, attempt, started_at)
  SELECT p_org, p_turn, c.id, p_session, p_step, c.tool, c.input::json,
    c.run::int, CASE WHEN c.run THEN clock_timestamp() END
  FROM unnest(p_calls, p_tools, p_inputs, p_run) AS c(id, tool, input, run);
  RETURN true;
END $$;

-- Marks another attempt of a call that had started. Null where the owner was fenced.
CREATE FUNCTION berth_start_call(
  p_org text, p_session text, p_turn text, p_epoch int, p_call text, p_types text[], p_data text[])
RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  v_attempt int;
BEGIN
  IF berth_append_events(p_org, p_session, p_epoch, p_turn, p_types, p_data) IS NULL THEN
    RETURN NULL;
  END IF;
  UPDATE tool_call SET attempt = attempt + 1, started_at = clock_timestamp()
  WHERE org_id = p_org AND turn_id = p_turn AND call_id = p_call RETURNING attempt INTO v_attempt;
  RETURN v_attempt;
END $$;

-- Keeps a call's result and logs it. False where the owner was fenced: the result is discarded.
CREATE FUNCTION berth_finish_call(
  p_org text, p_session text, p_turn text, p_epoch int, p_call text, p_is_error boolean,
  p_result text, p_types text[], p_data text[])
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF berth_append_events(p_org, p_session, p_epoch, p_turn, p_types, p_data) IS NULL THEN
    RETURN false;
  END IF;
  UPDATE tool_call SET finished_at = clock_timestamp(), is_error = p_is_error, result = p_result::json
  WHERE org_id = p_org AND turn_id = p_turn AND call_id = p_call;
  RETURN true;
END $$;

-- Ends a step whose calls have all finished, with its last events. False where the owner was fenced.
CREATE FUNCTION berth_complete_step(
  p_org text, p_session text, p_turn text, p_epoch int, p_step int, p_types text[], p_data text[])
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF berth_append_events(p_org, p_session, p_epoch, p_turn, p_types, p_data) IS NULL THEN
    RETURN false;
  END IF;
  UPDATE step SET finished_at = clock_timestamp()
  WHERE org_id = p_org AND turn_id = p_turn AND step = p_step;
  RETURN true;
END $$;

-- Everything a session's conversation is rebuilt from, oldest first within each kind.
CREATE FUNCTION berth_conversation(p_org text, p_session text)
RETURNS TABLE (kind text, turn_id text, id text, step int, body text, about json)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  (SELECT 'message', m.turn_id, m.id, 0, m.text, NULL::json
   FROM message m WHERE m.org_id = p_org AND m.session_id = p_session ORDER BY m.created_at, m.id)
  UNION ALL
  (SELECT 'step', s.turn_id, NULL, s.step, s.messages::text,
     json_build_object('provider', s.provider, 'model', s.model, 'sdk', s.sdk, 'usage', s.usage,
       'finished', s.finished_at IS NOT NULL)
   FROM step s WHERE s.org_id = p_org AND s.session_id = p_session ORDER BY s.turn_id, s.step)
  UNION ALL
  (SELECT 'call', c.turn_id, c.call_id, c.step, c.result::text,
     json_build_object('toolName', c.tool_name, 'input', c.input, 'attempt', c.attempt,
       'started', c.started_at IS NOT NULL, 'finished', c.finished_at IS NOT NULL, 'isError', c.is_error)
   FROM tool_call c JOIN turn t ON t.org_id = c.org_id AND t.id = c.turn_id
   WHERE t.org_id = p_org AND t.session_id = p_session)
$$;

-- One ledger row per try of a model call; written whether or not the turn still has its owner.
CREATE FUNCTION berth_record_usage(
  p_org text, p_turn text, p_attempt int, p_step int, p_try int, p_session text, p_agent text,
  p_model text, p_provider text, p_input int, p_output int, p_cache_read int, p_cache_write int,
  p_cost numeric, p_price_version text)
RETURNS void LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public AS $$
  INSERT INTO usage_entry (org_id, turn_id, attempt, step, try, session_id, agent_id, model, provider,
    input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd, price_version)
  VALUES (p_org, p_turn, p_attempt, p_step, p_try, p_session, p_agent, p_model, p_provider,
    p_input, p_output, p_cache_read, p_cache_write, p_cost, p_price_version)
$$;

REVOKE ALL ON FUNCTION
  berth_record_step(text, text, text, int, int, text, text, int, text, text, timestamptz, text[],
    text[], text[], boolean[], text[], text[]),
  berth_start_call(text, text, text, int, text, text[], text[]),
  berth_finish_call(text, text, text, int, text, boolean, text, text[], text[]),
  berth_complete_step(text, text, text, int, int, text[], text[]),
  berth_conversation(text, text),
  berth_record_usage(text, text, int, int, int, text, text, text, text, int, int, int, int, numeric, text)
FROM PUBLIC;
