import {
  DEFINITION_KINDS,
  type DefinitionError,
  type DefinitionKind,
  type DescribedDefinition,
  type Description,
} from "../protocol/description";
import { CodedError } from "./coded-error";
import type { Bundle, Loader } from "./definitions";
import { describeData } from "./describe-data";
import { describeTool } from "./describe-tool";
import { guestError } from "./guest-error";
import { blamedVariable, watchUnsetEnv } from "./unset-env";

interface Named {
  kind: DefinitionKind;
  name: string;
  load: Loader;
}

function listDefinitions(bundle: Bundle): Named[] {
  return DEFINITION_KINDS.flatMap((kind) => {
    const group = bundle.definitions[kind];
    if (typeof group === "function") return [{ kind, name: kind, load: group }];
    return Object.entries(group ?? {}).map(([name, load]) => ({ kind, name, load }));
  });
}

/** A module that threw while loading. */
class LoadError extends Error {
  constructor(readonly detail: DefinitionError) {
    super(detail.message);
  }
}

function loadError(thrown: unknown, unset: readonly string[]): LoadError {
  const { message, stack } = guestError(thrown);
  const variable = blamedVariable(message, unset);
  return new LoadError({
    code: variable === undefined ? "load_failed" : "secret_missing_at_load",
    message,
    ...(stack === undefined ? {} : { stack }),
    ...(variable === undefined ? {} : { variable }),
  });
}

function toDefinitionError(thrown: unknown): DefinitionError {
  if (thrown instanceof LoadError) return thrown.detail;
  const { message, stack } = guestError(thrown);
  const code = thrown instanceof CodedError ? "invalid_definition" : "load_failed";
  return { code, message, ...(stack === undefined ? {} : { stack }) };
}

async function describeOne(
  bundle: Bundle,
  { kind, name, load }: Named,
): Promise<DescribedDefinition> {
  const key = kind === name ? kind : `${kind}/${name}`;
  const base = { key, kind, name, file: bundle.files[key] ?? key };
  try {
    const module = await watchUnsetEnv(load, loadError);
    const value = module.default;
    if (value === undefined) {
      throw new CodedError("invalid_definition", "the file has no default export.");
    }
    if (kind === "tools") {
      if (typeof value !== "object" || value === null) {
        throw new CodedError("invalid_definition", "the default export is not a tool.");
      }
      return { ...base, ok: true, ...(await describeTool(value as Record<string, unknown>)) };
    }
    const data = await describeData(value);
    return { ...base, ok: true, data, exports: Object.keys(module), warnings: [] };
  } catch (thrown) {
    return { ...base, ok: false, error: toDefinitionError(thrown) };
  }
}

/** Loads every definition, one after the other, and says what each is or why it failed. */
export async function describe(bundle: Bundle): Promise<Description> {
  const definitions: DescribedDefinition[] = [];
  for (const named of listDefinitions(bundle)) definitions.push(await describeOne(bundle, named));
  return { definitions };
}
