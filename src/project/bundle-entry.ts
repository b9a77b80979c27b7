import { DEFINITION_KINDS, type DefinitionKind } from "../protocol/description";
import { SINGLE_KINDS } from "./definition-kind";
import type { FoundModule, ProjectScan } from "./project-scan";

const isSingle = (kind: DefinitionKind): boolean => SINGLE_KINDS.some((single) => single === kind);

/** Each definition behind its own `import()`, so that one that throws does not sink the rest. */
const loader = ({ file }: FoundModule): string => `() => import(${JSON.stringify(`./${file}`)})`;

const member = (kind: DefinitionKind, modules: readonly FoundModule[]): string[] => {
  const ofKind = modules.filter((found) => found.kind === kind);
  const [first] = ofKind;
  if (isSingle(kind)) return first === undefined ? [] : [`  ${kind}: ${loader(first)},`];
  const entries = ofKind.map((found) => `    ${JSON.stringify(found.name)}: ${loader(found)},`);
  return [`  ${kind}: {`, ...entries, "  },"];
};

/** Key of a definition in the bundle's `files`: `tools/echo`, or `agent` for those that stand alone. */
export const moduleKey = ({ kind, name }: Pick<FoundModule, "kind" | "name">): string =>
  isSingle(kind) ? kind : `${kind}/${name}`;

/** Source of the bundle's entry: `definitions` (lazy loaders) and `files` (where each comes from). */
export const bundleEntry = ({ modules }: Pick<ProjectScan, "modules">): string =>
  [
    "export const definitions = {",
    ...DEFINITION_KINDS.flatMap((kind) => member(kind, modules)),
    "};",
    "export const files = {",
    ...modules.map(
      (found) => `  ${JSON.stringify(moduleKey(found))}: ${JSON.stringify(found.file)},`,
    ),
    "};",
    "",
  ].join("\n");
