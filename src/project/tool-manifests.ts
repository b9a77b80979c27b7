import type { ToolDescription } from "../protocol/description";
import type { ToolManifest } from "../protocol/manifest";
import { unknownTimeArgs } from "../protocol/time-args";
import { type Join, keyPlace } from "./described";
import { errorAt, warningAt } from "./diagnostics";

const DEFAULT_TIMEOUT_MS = 60_000;
const MAX_TIMEOUT_MS = 15 * 60_000;

/** No error: only sessions with `asOf` read the declaration, and those refuse to start. */
const checkTimeArgs = (join: Join, file: string, tool: ToolDescription): void => {
  for (const name of unknownTimeArgs(tool)) {
    const message =
      `timeArgs names "${name}", which the input schema does not have: ` +
      "sessions with asOf refuse to start";
    const place = { ...keyPlace(join, file, "timeArgs"), fix: "correct the name" };
    join.diagnostics.push(warningAt("unknown_time_arg", message, place));
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
