import type { z } from "zod";
import type { DefinitionKind, DescribedDefinition, Description } from "../protocol/description";
import type { Diagnostic } from "../protocol/manifest";
import { errorAt } from "./diagnostics";
import { singular } from "./name-rules";
import type { ProjectScan } from "./project-scan";

type Loaded = Extract<DescribedDefinition, { data?: unknown; exports: string[] }>;

/** A walk and a description while they are joined. */
export interface Join {
  scan: ProjectScan;
  description: Description;
  diagnostics: Diagnostic[];
}

/** Place of a key of a definition, with its line where the walk saw it. */
export const keyPlace = (
  { scan }: Pick<Join, "scan">,
  file: string,
  key: string,
): { file: string; line?: number } => {
  const line = scan.keyLines[file]?.[key];
  return line === undefined ? { file } : { file, line };
};

const isLoaded = (definition: DescribedDefinition): definition is Loaded =>
  definition.ok && "exports" in definition;

/**
 * The definitions of a kind that have the form `schema` asks for; those that have not become an
 * `invalid_definition` each.
 */
export const describedOf = <T>(
  join: Join,
  kind: DefinitionKind,
  schema: z.ZodType<T>,
): { name: string; file: string; value: T }[] =>
  join.description.definitions.filter(isLoaded).flatMap((definition) => {
    if (definition.kind !== kind) return [];
    const { name, file, data } = definition;
    const parsed = schema.safeParse(data);
    if (parsed.success) return [{ name, file, value: parsed.data }];
    const [issue] = parsed.error.issues;
    const path = issue?.path.join(".") ?? "";
    const reason = path === "" ? issue?.message : `${path}: ${issue?.message}`;
    const message = `${file} does not hold a ${singular(kind)}: ${reason}`;
    join.diagnostics.push(
      errorAt("invalid_definition", message, keyPlace(join, file, String(issue?.path[0] ?? ""))),
    );
    return [];
  });
