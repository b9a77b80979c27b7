type Schema = Record<string, unknown>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The schema that a `$ref` inside the same document points to. */
function resolve(root: Schema, ref: unknown): Schema | undefined {
  if (typeof ref !== "string" || !ref.startsWith("#")) return undefined;
  const parts = ref.split("/").slice(1);
  const names = parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const found = names.reduce<unknown>(
    (at, name) => (isSchema(at) && Object.hasOwn(at, name) ? at[name] : undefined),
    root,
  );
  return isSchema(found) ? found : undefined;
}

/** Adds the properties of an object schema, of the branches of unions and of what it refers to. */
function collect(root: Schema, schema: Schema, seen: Set<Schema>, names: Set<string>): void {
  if (seen.has(schema)) return;
  seen.add(schema);
  if (isSchema(schema.properties)) for (const name in schema.properties) names.add(name);
  const parts = [schema.anyOf, schema.oneOf, schema.allOf, resolve(root, schema.$ref)].flat();
  for (const part of parts.filter(isSchema)) collect(root, part, seen, names);
}

/**
 * The `timeArgs` of a tool that its input schema does not have. A session with `asOf` must not
 * start then: a misspelled name would check nothing.
 */
export function unknownTimeArgs(tool: { timeArgs: string[]; inputSchema?: Schema | undefined }) {
  const names = new Set<string>();
  if (tool.inputSchema) collect(tool.inputSchema, tool.inputSchema, new Set(), names);
  return tool.timeArgs.filter((name) => !names.has(name));
}
