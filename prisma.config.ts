import { fileURLToPath } from "node:url";
import { defineConfig } from "prisma/config";

// The schema engine comes from npm as WebAssembly; nothing is downloaded when Prisma runs.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= fileURLToPath(
  new URL("./scripts/schema-engine.mjs", import.meta.url),
);
process.env.CHECKPOINT_DISABLE ??= "1";

export default defineConfig({
  schema: "prisma/schema.prisma",
  migrations: { path: "prisma/migrations" },
  datasource: {
    url:
      process.env.DATABASE_MIGRATE_URL ??
      process.env.DATABASE_URL ??
      "postgresql://berth@127.0.0.1:5432/berth",
  },
});
