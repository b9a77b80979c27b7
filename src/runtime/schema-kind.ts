/** The forms a tool's schema may take, told apart by shape: the tenant's Zod is another copy. */
export type SchemaKind = "zod4" | "zod3" | "standard" | "json";

type Shape = Record<string, unknown> | null | undefined;

/** Which form a schema has; `undefined` when it is none. */
export function schemaKind(schema: unknown): SchemaKind | undefined {
  if (schema === null || (typeof schema !== "object" && typeof schema !== "function")) {
    return undefined;
  }
  const shape = schema as NonNullable<Shape>;
  if (typeof shape._zod === "object") return "zod4";
  if (typeof shape._def === "object" && typeof shape.safeParse === "function") return "zod3";
  if (typeof shape["~standard"] === "object") return "standard";
  return typeof schema === "object" && !Array.isArray(schema) ? "json" : undefined;
}
