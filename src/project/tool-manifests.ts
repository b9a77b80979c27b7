import type { ToolDescription } from "../protocol/description";
import type { ToolManifest } from "../protocol/manifest";
import { type Join, keyPlace } from "./described";
import { errorAt, warningAt } from "./diagnostics";

const DEFAULT_TIMEOUT_MS = 60_000;
const MAX_TIMEOUT_MS = 15 * 60_000;

type Schema = Record<string, unknown>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Properties of an object schema, those of the branches of a union included. */
const propertiesOf = (schema: Schema): string[] => {
  const branches = [schema.anyOf, schema.oneOf, schema.allOf].flat().filter(isSchema);
  const own = isSchema(schema.properties) ? Object.keys(schema.properties) : [];
  return [...own, ...branches.flatMap(propertiesOf)];
};

const checkTimeArgs = (join: Join, file: string, tool: ToolDescription): void => {
  const known = new Set(tool.inputSchema === undefined ? [] : propertiesOf(tool.inputSchema));
  for (const name of tool.timeArgs.filter((arg) => !known.has(arg))) {
    const message = `timeArgs names "${name}", which the input schema does not have`;
    const place = { ...keyPlace(join, file, "timeArgs"), fix: "correct the name" };
    join.diagnostics.push(errorAt("unknown_time_arg", message, place));
  }
};

const timeoutOf = (join: Join, file: string, { timeoutMs }: ToolDescription): number => {
  if (timeoutMs === undefined || timeoutMs <= MAX_TIMEOUT_MS) {
    return timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }
  const place = { ...keyPlace(join, file, "timeoutMs"), fix: `use at most ${MAX_TIMEOUT_MS}` };
  join.diagnostics.push(errorAt("timeout_too_long", "timeoutMs is more than 15 minutes", place));
  return MAX_TIMEOUT_MS;
};

/** The tools that loaded, with defaults filled in; what is wrong with them goes to the join. */
export const toolManifests = (join: Join): ToolManifest[] =>
  join.description.definitions.flatMap((definition) => {
    if (!definition.ok || !("tool" in definition)) return [];
    const { name, file, tool, warnings } = definition;
    for (const warning of warnings) {
      join.diagnostics.push(
        warningAt("schema_not_enforced", warning, keyPlace(join, file, "inputSchema")),
      );
    }
    checkTimeArgs(join, file, tool);
    const { script, inputSchema, outputSchema } = tool;
    return [
      {
        name,
        file,
        description: tool.description,
        execution: tool.execution,
        ...(script === undefined ? {} : { script }),
        ...(inputSchema === undefined ? {} : { inputSchema }),
        ...(outputSchema === undefined ? {} : { outputSchema }),
        effect: tool.effect,
        needsApproval: tool.needsApproval,
        timeArgs: tool.timeArgs,
        timeoutMs: timeoutOf(join, file, tool),
      },
    ];
  });
