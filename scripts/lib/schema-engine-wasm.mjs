import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from "@prisma/driver-adapter-utils";
import * as wasm from "@prisma/schema-engine-wasm/schema_engine_bg";
import pg from "pg";

const CATALOG_CHAR = 18;
const TEXT = 25;

/** Names of the result columns that had the catalog type "char". */
const charColumns = new Set();

/** adapter-pg has no mapping for the catalog type "char", which introspection reads. */
function charAsText(results) {
  for (const result of [results].flat()) {
    for (const field of result?.fields ?? []) {
      if (field.dataTypeID !== CATALOG_CHAR) continue;
      field.dataTypeID = TEXT;
      charColumns.add(field.name);
    }
  }
  return results;
}

class Client extends pg.Client {
  query(...args) {
    const callback = args.at(-1);
    if (typeof callback === "function") {
      const patched = (error, result) => callback(error, error ? result : charAsText(result));
      return super.query(...args.slice(0, -1), patched);
    }
    const pending = super.query(...args);
    return typeof pending?.then === "function" ? pending.then(charAsText) : pending;
  }
}

/** Connection parts rather than a URL: with a URL the adapter would ignore the database name. */
function connection(url, database) {
  const parsed = new URL(url);
  const secure = ["require", "verify-ca", "verify-full"];
  return {
    host: parsed.searchParams.get("host") ?? parsed.hostname,
    port: Number(parsed.port || 5432),
    user: decodeURIComponent(parsed.username) || undefined,
    password: decodeURIComponent(parsed.password) || undefined,
    database: database ?? decodeURIComponent(parsed.pathname.slice(1)),
    ssl: secure.includes(parsed.searchParams.get("sslmode")) || undefined,
    Client,
    max: 1,
    allowExitOnIdle: true,
  };
}

/**
 * Mends two things of the adapter: it cuts scripts at every semicolon, also inside functions, and
 * it presents single characters as text, on which the engine panics.
 */
function mendAdapter(adapter, pool) {
  const queryRaw = adapter.queryRaw.bind(adapter);
  adapter.executeScript = async (script) => {
    await pool.query(script);
  };
  adapter.queryRaw = async (query) => {
    const result = await queryRaw(query);
    result.columnNames.forEach((name, index) => {
      if (charColumns.has(name)) result.columnTypes[index] = ColumnTypeEnum.Character;
    });
    return result;
  };
  return adapter;
}

function createFactory(url) {
  const schema = new URL(url).searchParams.get("schema") ?? undefined;
  const options = { schema, disposeExternalPool: true };
  const open = async (database) => {
    const pool = new pg.Pool(connection(url, database));
    return mendAdapter(await new PrismaPg(pool, options).connect(), pool);
  };
  return {
    provider: "postgres",
    adapterName: "@prisma/adapter-pg",
    connect: () => open(),
    async connectToShadowDb() {
      const name = `prisma_shadow_${randomUUID().replaceAll("-", "")}`;
      const admin = new pg.Client(connection(url));
      await admin.connect();
      await admin.query(`CREATE DATABASE "${name}"`);
      const adapter = await open(name);
      const dispose = adapter.dispose.bind(adapter);
      adapter.dispose = async () => {
        await dispose();
        await admin.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
        await admin.end();
      };
      return adapter;
    },
  };
}

/**
 * The schema engine for these schema files and this database. `onPanic` gets the message of a
 * fault inside the engine, after which the process can only end.
 */
export async function openEngine({ datamodels, url, onPanic }) {
  globalThis.PRISMA_WASM_PANIC_REGISTRY = { set_message: onPanic };
  const entry = createRequire(import.meta.url).resolve(
    "@prisma/schema-engine-wasm/schema_engine_bg",
  );
  const binary = readFileSync(entry.replace(/\.js$/, ".wasm"));
  const { instance } = await WebAssembly.instantiate(binary, { "./schema_engine_bg.js": wasm });
  wasm.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  const sources = datamodels.map((file) => [file, readFileSync(file, "utf8")]);
  return wasm.SchemaEngine.new(
    { datamodels: sources.length > 0 ? sources : undefined },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory(createFactory(url)),
  );
}
