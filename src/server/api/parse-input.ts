import type { z } from "zod";
import { AppError, invalidRequest, notFound } from "../platform/errors";
import type { Route } from "./route";

/** Repeated query parameters are refused: which one counts would be a guess. */
function queryObject(url: URL): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [key, value] of url.searchParams) {
    if (Object.hasOwn(values, key)) {
      throw new AppError("invalid_request", `The query has ${key} more than once.`, {
        details: { issues: [{ path: key, message: "given more than once" }] },
      });
    }
    Object.defineProperty(values, key, { value, enumerable: true });
  }
  return values;
}

/** @throws AppError `invalid_request` with its issues. */
export function parseWith<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalidRequest(parsed.error);
  return parsed.data;
}

/** The path's parameters. @throws AppError `not_found`: a malformed id is an id of nothing. */
export function parseParams(route: Route, params: Record<string, string>): unknown {
  if (!route.params) return undefined;
  const parsed = route.params.safeParse(params);
  if (!parsed.success) throw notFound();
  return parsed.data;
}

export const parseQuery = (route: Route, url: URL): unknown =>
  route.query ? parseWith(route.query, queryObject(url)) : undefined;
