import { defineConfig } from "vitest/config";
import { findCommand, PROGRAMS } from "./scripts/lib/system-package.mjs";

/** Layers that talk to Postgres; each test file clones the migrated template database. */
const SERVICES = ["./tests/support/database-server.mjs"];

/** Mostly waiting for leases to run out: two files at once take little more than one. */
const FAULTS = { testTimeout: 120_000, hookTimeout: 120_000, maxWorkers: 2 };

const layer = (name: string, groupOrder: number, options: object = {}) => ({
  test: {
    name,
    include: [`tests/${name}/**/*.test.ts`],
    globalSetup: SERVICES,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What is waited for may be the start of a process, on a machine that is busy.
    expect: { poll: { timeout: 10_000 } },
    sequence: { groupOrder },
    ...options,
  },
});

export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 2,
    // Next's build folder and the installed packages hold files that look like tests.
    exclude: ["**/node_modules/**", "dist/**", ".next/**"],
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.{ts,tsx}", "scripts/**/*.test.mjs"],
          testTimeout: 5_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "types",
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ["tests/types/**/*.test-d.ts", "src/**/*.test-d.ts"],
            tsconfig: "./tsconfig.json",
            // `npm run check` reports errors outside these files.
            ignoreSourceErrors: true,
          },
          sequence: { groupOrder: 1 },
        },
      },
      layer("integration", 2),
      layer("contract", 3),
      layer("isolation", 4, { testTimeout: 60_000 }),
      layer("faults", 5, FAULTS),
      // The same faults where a Redis carries wakes and jobs; `npm test` says so where none can.
      layer("faults-redis", 5, {
        ...FAULTS,
        include: findCommand(PROGRAMS.redis.commands) ? ["tests/faults/**/*.test.ts"] : [],
        exclude: ["tests/faults/lost-redis.test.ts"],
        env: { BERTH_FAULTS_REDIS: "1" },
      }),
      layer("e2e", 6, { testTimeout: 120_000, hookTimeout: 180_000, maxWorkers: 1 }),
    ],
  },
});
