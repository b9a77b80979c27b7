import type { z } from "zod";
import { invalidRequest } from "../platform/errors";

/** Parameters of a host call, which a guest made up. @throws AppError `invalid_request`. */
export function parseParams<S extends z.ZodType>(schema: S, params: unknown): z.output<S> {
  const parsed = schema.safeParse(params);
  if (!parsed.success) throw invalidRequest(parsed.error);
  return parsed.data;
}
