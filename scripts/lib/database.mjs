import { applyMigrations } from "./apply-migrations.mjs";

/** Owns the schema and migrates it; not a superuser, so it is what a hosted database would give. */
export const OWNER_ROLE = "berth_owner";
/** What the services connect as: bound by row-level security, owns nothing. */
export const APP_ROLE = "berth_app";
const QUEUE_SCHEMA = "bullmq";

/** `url` with another database and, when given, another login. */
export function withDatabase(url, database, login) {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  if (login) {
    changed.username = login.user;
    changed.password = login.password;
  }
  return changed.href;
}

/** Runs `work` with one connected pg client and closes it. */
export async function withClient(url, work) {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function ensureRole(client, name, password, attributes) {
  const { rowCount } = await client.query("SELECT 1 FROM pg_roles WHERE rolname = $1", [name]);
  const verb = rowCount ? "ALTER" : "CREATE";
  const secret = client.escapeLiteral(password);
  await client.query(
    `${verb} ROLE ${client.escapeIdentifier(name)} LOGIN NOSUPERUSER NOBYPASSRLS ${attributes}
     PASSWORD ${secret}`,
  );
}

/** Makes both roles (or resets their passwords) with a superuser's URL. */
export async function ensureRoles(adminUrl, { ownerPassword, appPassword }) {
  await withClient(adminUrl, async (client) => {
    await ensureRole(client, OWNER_ROLE, ownerPassword, "CREATEDB NOCREATEROLE");
    await ensureRole(client, APP_ROLE, appPassword, "NOCREATEDB NOCREATEROLE");
  });
}

/** Makes an empty database that belongs to the owner role, unless it exists. */
export async function ensureDatabase(adminUrl, name) {
  await withClient(adminUrl, async (client) => {
    const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]);
    if (rowCount) return;
    await client.query(
      `CREATE DATABASE ${client.escapeIdentifier(name)} OWNER ${OWNER_ROLE} TEMPLATE template0`,
    );
  });
}

/** What the app role may do in a schema of the connected owner: use rows, never change shapes. */
async function grantUse(client, schema, role) {
  const [s, r] = [client.escapeIdentifier(schema), client.escapeIdentifier(role)];
  await client.query(`
    GRANT USAGE ON SCHEMA ${s} TO ${r};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${s} TO ${r};
    GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA ${s} TO ${r};
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${s} TO ${r};`);
}

/** Of our own tables the services may not touch the ledger, nor rewrite what was audited. */
async function withholdOwn(client, role) {
  const r = client.escapeIdentifier(role);
  await client.query(`
    REVOKE ALL ON _prisma_migrations FROM ${r};
    REVOKE UPDATE, DELETE ON audit_entry FROM ${r};`);
}

/**
 * Applies our migrations and the queue's as the owner, then grants `appRole` what the services
 * need. With one role for both, nothing is granted. Returns the names applied.
 */
export async function migrateAll({ ownerUrl, appRole }) {
  const applied = await applyMigrations({ url: ownerUrl });
  await withClient(ownerUrl, async (client) => {
    const { runMigrations } = await import("bullmq");
    await runMigrations(client, QUEUE_SCHEMA);
    if (decodeURIComponent(new URL(ownerUrl).username) === appRole) return;
    await grantUse(client, "public", appRole);
    await grantUse(client, QUEUE_SCHEMA, appRole);
    await withholdOwn(client, appRole);
  });
  return applied;
}
