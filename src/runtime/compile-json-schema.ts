import type { ErrorObject, ValidateFunction } from "ajv";

const OPTIONS = { strict: false, allErrors: true, logger: false, coerceTypes: false } as const;

async function newAjv(dialect: unknown) {
  if (typeof dialect === "string" && dialect.includes("2020-12")) {
    const { Ajv2020 } = await import("ajv/dist/2020");
    return new Ajv2020(OPTIONS);
  }
  const { Ajv } = await import("ajv");
  return new Ajv(OPTIONS);
}

const compiled = new WeakMap<object, Promise<ValidateFunction | Error>>();

async function compile(schema: Record<string, unknown>): Promise<ValidateFunction | Error> {
  const ajv = await newAjv(schema.$schema);
  try {
    return ajv.compile(schema);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** The schema's validator, or the error that kept it from compiling. Compiled once per schema. */
export function compileJsonSchema(
  schema: Record<string, unknown>,
): Promise<ValidateFunction | Error> {
  const known = compiled.get(schema);
  if (known) return known;
  const validator = compile(schema);
  compiled.set(schema, validator);
  return validator;
}

/** One validation error as path and message. */
export const ajvIssue = (error: ErrorObject): { path: string; message: string } => ({
  path: error.instancePath.replace(/^\//, "").replaceAll("/", "."),
  message: error.message ?? "is not valid",
});
