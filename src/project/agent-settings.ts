import { z } from "zod";
import type { Diagnostic } from "../protocol/manifest";
import { errorAt, warningAt } from "./diagnostics";
import { durationMs } from "./duration";
import { egressProblem } from "./egress-domain";

const Params = z.union([
  z.array(z.object({ id: z.string(), value: z.unknown() })),
  z.record(z.string(), z.unknown()),
]);
const ModelId = z.string().min(1, "a model has a name");
const Model = z.union([ModelId, z.object({ id: ModelId, params: Params.optional() })]);
export const ModelField = z.union([Model, z.array(Model).min(1)]);

const Count = z.number().int().positive();
const EgressDomain = z.string().superRefine((entry, context) => {
  const problem = egressProblem(entry);
  if (problem !== undefined) context.addIssue(`"${entry}" is no egress domain: ${problem}`);
});
const SecretName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "a secret's name holds letters, digits and _ only");
const Expiry = z
  .string()
  .refine((text) => durationMs(text) !== undefined, "write a duration such as 90s, 2h or 7d");

/** What `agent.ts` may say, key by key. */
const FIELDS = {
  name: z.string(),
  description: z.string(),
  instructions: z.string(),
  model: ModelField,
  tools: z.array(z.string()),
  builtinTools: z.object({ reminders: z.boolean().optional() }),
  concurrency: z.object({ maxRunningTurns: Count.optional() }),
  limits: z.object({
    steps: Count.optional(),
    wallMs: Count.optional(),
    tokens: Count.optional(),
  }),
  persistent: z.boolean(),
  hosting: z.object({
    egressDomains: z.array(EgressDomain).optional(),
    secretNames: z.array(SecretName).optional(),
    image: z.string().optional(),
    isolation: z.enum(["agent", "session"]).optional(),
  }),
  access: z.enum(["org", "public"]),
  approvals: z.object({
    channel: z.boolean().optional(),
    self: z.boolean().optional(),
    expiresIn: Expiry.optional(),
  }),
  local: z.unknown(),
  runtime: z.string(),
  architecture: z.unknown(),
  cloud: z.unknown(),
  otel: z.unknown(),
} as const;

const Settings = z.object(FIELDS).partial();
export type AgentSettings = z.infer<typeof Settings>;

/** Where diagnostics about an `agent.ts` point to. */
export interface Origin {
  file: string;
  keyLines: Record<string, number>;
}

const placeOf = ({ file, keyLines }: Origin, key: string): { file: string; line?: number } => {
  const line = keyLines[key];
  return line === undefined ? { file } : { file, line };
};

/** Reads the described default export of an `agent.ts`; keys that are not valid are left out. */
export const readAgentSettings = (
  data: Record<string, unknown>,
  origin: Origin,
): { settings: AgentSettings; diagnostics: Diagnostic[] } => {
  const diagnostics: Diagnostic[] = [];
  const valid: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(data)) {
    const field = Object.hasOwn(FIELDS, key) ? FIELDS[key as keyof typeof FIELDS] : undefined;
    if (field === undefined) {
      diagnostics.push(unknownKey(key, origin));
      continue;
    }
    const parsed = field.safeParse(value);
    if (parsed.success) valid[key] = parsed.data;
    else diagnostics.push(...parsed.error.issues.map((issue) => invalid(key, issue, origin)));
    diagnostics.push(...unknownMembers(key, field, value, origin));
  }
  const settings = Settings.parse(valid);
  return { settings, diagnostics: [...diagnostics, ...unsupported(settings, origin)] };
};

const unknownKey = (key: string, origin: Origin): Diagnostic =>
  warningAt("unknown_key", `agent.ts has a key "${key}" that means nothing`, {
    ...placeOf(origin, key.split(".").at(-1) ?? key),
    fix: "remove it, or correct its spelling",
  });

const unknownMembers = (
  key: string,
  field: z.ZodType,
  value: unknown,
  origin: Origin,
): Diagnostic[] => {
  if (!(field instanceof z.ZodObject) || typeof value !== "object" || value === null) return [];
  return Object.keys(value)
    .filter((member) => !Object.hasOwn(field.shape, member))
    .map((member) => unknownKey(`${key}.${member}`, origin));
};

const invalid = (key: string, issue: z.core.$ZodIssue, origin: Origin): Diagnostic => {
  const names = issue.path.filter((part) => typeof part === "string");
  const path = [key, ...issue.path].join(".");
  return errorAt("invalid_agent_config", `${path}: ${issue.message}`, {
    ...placeOf(origin, names.at(-1) ?? key),
  });
};

const unsupported = ({ runtime, hosting }: AgentSettings, origin: Origin): Diagnostic[] => {
  const found: Diagnostic[] = [];
  if (runtime !== undefined && runtime !== "local") {
    const message = `runtime: "${runtime}" runs agents in another vendor's service`;
    const fix = "remove it: Berth runs the agent itself";
    found.push(errorAt("unsupported_runtime", message, { ...placeOf(origin, "runtime"), fix }));
  }
  if (hosting?.image !== undefined) {
    const message = "hosting.image needs the container driver, which this installation has not";
    const fix = "remove it and add what the agent needs to package.json";
    found.push(errorAt("unsupported_image", message, { ...placeOf(origin, "image"), fix }));
  }
  return found;
};
