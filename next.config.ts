import type { NextConfig } from "next";

const config: NextConfig = {
  poweredByHeader: false,
  // `npm run check` type-checks the whole tree; the build need not do it again.
  typescript: { ignoreBuildErrors: true },
  serverExternalPackages: [
    "@node-rs/argon2",
    "@prisma/adapter-pg",
    "@prisma/client",
    "bullmq",
    "pg",
    "pino",
  ],
};

export default config;
