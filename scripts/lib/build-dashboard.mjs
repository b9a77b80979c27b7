import { runNode } from "./run-command.mjs";
import { whenChanged } from "./stamp.mjs";

const INPUTS = [
  "src/app",
  "src/ui",
  "src/server",
  "src/protocol",
  "src/proxy.ts",
  "public",
  "prisma/schema.prisma",
  "next.config.ts",
  "postcss.config.mjs",
  "tsconfig.json",
  "package-lock.json",
];

/** `next build` into .next. Returns whether it ran. */
export function buildDashboard() {
  return whenChanged("dashboard", { inputs: INPUTS, outputs: [".next/BUILD_ID"] }, async () => {
    const env = { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" };
    await runNode("node_modules/next/dist/bin/next", ["build"], { env });
  });
}
