import type { z } from "zod";
import type { ModelSetting } from "../protocol/manifest";
import type { ModelField } from "./agent-settings";

type Written = z.infer<typeof ModelField>;

const DEFAULT_MODEL: ModelSetting = { id: "grok-4.5", params: { effort: "high", fast: true } };

const one = (written: Exclude<Written, unknown[]>): ModelSetting => {
  if (typeof written === "string") return { id: written, params: {} };
  const { id, params = {} } = written;
  if (!Array.isArray(params)) return { id, params };
  return { id, params: Object.fromEntries(params.map((param) => [param.id, param.value])) };
};

/** The models as written, preferred first, with parameters as a table; the default when absent. */
export const modelSettings = (written: Written | undefined): ModelSetting[] => {
  if (written === undefined) return [DEFAULT_MODEL];
  return Array.isArray(written) ? written.map(one) : [one(written)];
};
