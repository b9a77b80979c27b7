import pg from "pg";

/** Appends delta events to a session in one statement until it has `length` events. */
export async function fillSession(databaseUrl: string, sessionId: string, length: number) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("BEGIN");
    const { rows } = await client.query<{ org_id: string; next_index: number }>(
      "SELECT org_id, next_index FROM session WHERE id = $1 FOR UPDATE",
      [sessionId],
    );
    const session = rows[0];
    if (!session) throw new Error(`no session ${sessionId}`);
    await client.query("SELECT set_config('app.org', $1, true)", [session.org_id]);
    await client.query(
      `INSERT INTO event (org_id, session_id, index, type, turn_id, at, data)
       SELECT $1, $2, i, 'message.appended', NULL, now(),
              json_build_object('step', 1, 'blockId', 'b', 'delta', repeat('x', 150))
       FROM generate_series($3::int, $4::int) i`,
      [session.org_id, sessionId, session.next_index, length - 1],
    );
    await client.query("UPDATE session SET next_index = $2 WHERE id = $1", [sessionId, length]);
    await client.query("COMMIT");
  } finally {
    await client.end();
  }
}
