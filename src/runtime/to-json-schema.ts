import { compileJsonSchema } from "./compile-json-schema";
import { schemaKind } from "./schema-kind";

type JsonSchema = Record<string, unknown>;

export interface ConvertedSchema {
  schema?: JsonSchema;
  warning?: string;
}

const withoutDialect = ({ $schema: _dialect, ...schema }: JsonSchema): JsonSchema => schema;

async function fromZod4(schema: unknown): Promise<JsonSchema> {
  const { z } = await import("zod");
  return z.toJSONSchema(schema as Parameters<typeof z.toJSONSchema>[0], {
    io: "input",
    unrepresentable: "any",
    reused: "inline",
  }) as JsonSchema;
}

async function fromZod3(schema: unknown): Promise<JsonSchema> {
  const { zodToJsonSchema } = await import("zod-to-json-schema");
  const convert = zodToJsonSchema as (schema: unknown, options: object) => object;
  return convert(schema, { $refStrategy: "none" }) as JsonSchema;
}

async function asWritten(schema: JsonSchema): Promise<ConvertedSchema> {
  const copy = JSON.parse(JSON.stringify(schema)) as JsonSchema;
  const validate = await compileJsonSchema(schema);
  if (!(validate instanceof Error)) return { schema: copy };
  return { schema: copy, warning: `does not compile and is not enforced: ${validate.message}` };
}

/** A tool's schema as JSON Schema, for models and MCP clients; a warning where that is not possible. */
export async function toJsonSchema(schema: unknown): Promise<ConvertedSchema> {
  const kind = schemaKind(schema);
  try {
    if (kind === "zod4") return { schema: withoutDialect(await fromZod4(schema)) };
    if (kind === "zod3") return { schema: withoutDialect(await fromZod3(schema)) };
    if (kind === "json") return await asWritten(schema as JsonSchema);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { warning: `cannot be written as JSON Schema: ${reason}` };
  }
  return kind === "standard" ? { warning: "cannot be written as JSON Schema" } : {};
}
