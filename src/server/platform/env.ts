import { z } from "zod";

const port = z.coerce.number().int().min(0).max(65535);
const optionalText = z
  .string()
  .optional()
  .transform((value) => (value === "" ? undefined : value));

/** Every setting of a service process, by its environment variable (README, configuration). */
const EnvSchema = z.object({
  BERTH_PORT: port.default(3000),
  BERTH_HOST: z.string().default("127.0.0.1"),
  /** The address people and webhooks reach; without it, host and port. */
  BERTH_URL: optionalText.pipe(z.url().optional()),
  DATABASE_URL: z.string().min(1),
  DATABASE_MIGRATE_URL: optionalText,
  DATABASE_POOL: z.coerce.number().int().min(2).max(200).default(16),
  /** Carries wakes and jobs; without it, Postgres does. */
  REDIS_URL: optionalText.pipe(z.url({ protocol: /^rediss?$/ }).optional()),
  BERTH_STATE_DIR: z.string().default(".berth"),
  /** Signs people's sessions and CSRF tokens. */
  BERTH_SECRET: z.string().min(32),
  /** 32 bytes in base64: wraps the data key of every org. */
  BERTH_MASTER_KEY: z
    .string()
    .refine((value) => Buffer.from(value, "base64").length === 32, "must be 32 bytes in base64"),
  /** Shared by web and workers for calls between them. */
  BERTH_INTERNAL_TOKEN: z.string().min(16),
  BERTH_SANDBOX: z.enum(["auto", "bwrap", "unsafe-process"]).default("auto"),
  BERTH_PRIVATE_TARGETS: z.string().default(""),
  BERTH_SIGNUP: z.enum(["open", "invite", "closed"]).default("invite"),
  BERTH_ADMINS: z.string().default(""),
  BERTH_AGENT_ORIGIN: optionalText,
  BERTH_TRUSTED_PROXIES: z.string().default(""),
  BERTH_WORKER_SLOTS: z.coerce.number().int().min(1).max(10_000).default(200),
  /** What one org may hold of all slots while there is another org. */
  BERTH_ORG_SHARE: z.coerce.number().gt(0).max(1).default(0.5),
  /** Path of a unix socket, or host:port, of the worker's internal HTTP. */
  BERTH_WORKER_ADDRESS: optionalText,
  BERTH_NPM_REGISTRY: z.url().default("https://registry.npmjs.org"),
  BERTH_DEV: z
    .enum(["0", "1"])
    .default("0")
    .transform((value) => value === "1"),
  BERTH_LOG_LEVEL: z.enum(["debug", "info", "warn", "error", "silent"]).default("info"),
});

export type Env = z.output<typeof EnvSchema>;

/**
 * Reads and checks the settings of this process.
 * @throws Error that names each wrong variable and never prints a value.
 */
export function readEnv(source: Record<string, string | undefined> = process.env): Env {
  const parsed = EnvSchema.safeParse(source);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`The environment is not usable:\n${lines.join("\n")}`);
}

/** The address links are made of, without a trailing slash. */
export const publicUrl = (env: Env): string =>
  (env.BERTH_URL ?? `http://${env.BERTH_HOST}:${env.BERTH_PORT}`).replace(/\/+$/, "");
