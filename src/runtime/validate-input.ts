import { ajvIssue, compileJsonSchema } from "./compile-json-schema";
import { schemaKind } from "./schema-kind";

interface Issue {
  path: string;
  message: string;
}
export type Validated = { ok: true; value: unknown } | { ok: false; issues: Issue[] };

const MAX_ISSUES = 50;

type PathPart = PropertyKey | { key: PropertyKey };
interface RawIssue {
  message?: string;
  path?: readonly PathPart[];
}

const partName = (part: PathPart): string => String(typeof part === "object" ? part.key : part);

const failed = (issues: readonly RawIssue[]): Validated => ({
  ok: false,
  issues: issues.slice(0, MAX_ISSUES).map((issue) => ({
    path: (issue.path ?? []).map(partName).join("."),
    message: issue.message ?? "is not valid",
  })),
});

interface ZodLike {
  safeParseAsync(
    input: unknown,
  ): Promise<{ success: true; data: unknown } | { success: false; error: { issues: RawIssue[] } }>;
}

interface StandardLike {
  "~standard": {
    validate(
      input: unknown,
    ): Promise<{ value: unknown; issues?: undefined } | { issues: RawIssue[] }>;
  };
}

async function byZod(schema: ZodLike, input: unknown): Promise<Validated> {
  const parsed = await schema.safeParseAsync(input);
  return parsed.success ? { ok: true, value: parsed.data } : failed(parsed.error.issues);
}

async function byStandard(schema: StandardLike, input: unknown): Promise<Validated> {
  const parsed = await schema["~standard"].validate(input);
  return parsed.issues ? failed(parsed.issues) : { ok: true, value: parsed.value };
}

async function byJsonSchema(schema: Record<string, unknown>, input: unknown): Promise<Validated> {
  const validate = await compileJsonSchema(schema);
  // A schema that does not compile is a warning of the build and is not enforced.
  if (validate instanceof Error || validate(input)) return { ok: true, value: input };
  return { ok: false, issues: (validate.errors ?? []).slice(0, MAX_ISSUES).map(ajvIssue) };
}

const isZod = (schema: unknown): schema is ZodLike =>
  typeof (schema as Partial<ZodLike>).safeParseAsync === "function";

/** Checks a tool's input against the schema it declares; the value returned has its defaults. */
export function validateInput(schema: unknown, input: unknown): Promise<Validated> {
  const kind = schemaKind(schema);
  if (kind === undefined) return Promise.resolve({ ok: true, value: input });
  if (kind === "json") return byJsonSchema(schema as Record<string, unknown>, input);
  if (kind !== "standard" && isZod(schema)) return byZod(schema, input);
  return byStandard(schema as StandardLike, input);
}
