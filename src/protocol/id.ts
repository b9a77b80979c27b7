import { z } from "zod";

/** Prefixes of the time-sortable ids (SPEC 4). */
export const ID_PREFIXES = [
  "ses",
  "msg",
  "trn",
  "dep",
  "art",
  "rem",
  "call",
  "org",
  "usr",
  "svc",
  "key",
  "agt",
  "dlv",
] as const;
export type IdPrefix = (typeof ID_PREFIXES)[number];

/** A typed id: the prefix and 26 base32 characters whose first ten are the time. */
export type Id<P extends IdPrefix> = `${P}_${string}`;

const SUFFIX = "[0-7][0-9a-hjkmnp-tv-z]{25}";

/** Schema of one kind of id. */
export const idSchema = <P extends IdPrefix>(prefix: P) =>
  z.string().regex(new RegExp(`^${prefix}_${SUFFIX}$`)) as unknown as z.ZodType<Id<P>, string>;

/** Slugs that are routes of the product and so cannot name an org or an agent (SPEC 2). */
export const RESERVED_SLUGS: ReadonlySet<string> = new Set([
  "v1",
  "playground",
  "docs",
  "api",
  "login",
  "signup",
  "device",
  "invite",
  "account",
  "download",
  "healthz",
  "readyz",
  "livez",
  "metrics",
  "favicon.ico",
  "robots.txt",
  "llms.txt",
  "_next",
  "~",
  ".well-known",
]);

/** An org's or agent's slug: compared case-insensitively, no `--`, not reserved (SPEC 2). */
export const Slug = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, "letters, digits, _ and -; starts with a letter or digit")
  .refine((slug) => !slug.includes("--"), "must not contain --")
  .refine((slug) => !RESERVED_SLUGS.has(slug.toLowerCase()), "is reserved");
