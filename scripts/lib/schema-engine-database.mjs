import pg from "pg";

async function open(url, database) {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  changed.search = "";
  const client = new pg.Client({ connectionString: changed.href });
  await client.connect();
  return client;
}

/** The CLI drops the first line of stderr and parses the others as log records. */
function logError(message, code) {
  const fields = { message, error_code: code, is_panic: false };
  const timestamp = new Date().toISOString();
  const record = { level: "ERROR", target: "schema_engine::logger", timestamp, fields };
  process.stderr.write(`schema-engine\n${JSON.stringify(record)}\n`);
}

const STATEMENTS = {
  "create-database": (name) => `CREATE DATABASE ${name}`,
  "drop-database": (name) => `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`,
};

/** `can-connect-to-database`, `create-database` or `drop-database`; returns the exit code. */
export async function databaseCommand(command, url) {
  const database = decodeURIComponent(new URL(url).pathname.slice(1));
  const statement = STATEMENTS[command];
  try {
    const client = await open(url, statement ? "postgres" : database);
    if (statement) await client.query(statement(client.escapeIdentifier(database)));
    await client.end();
    return 0;
  } catch (error) {
    const missing = error.code === "3D000";
    const message = missing ? `Database \`${database}\` does not exist` : error.message;
    logError(message, missing ? "P1003" : "P1001");
    return 1;
  }
}
