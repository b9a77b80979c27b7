import type { ZodType, z } from "zod";
import type { Awaitable } from "../json";
import type { LiveArgs } from "./channel-args";

export type RouteMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface RouteSpec<Q extends ZodType, B extends ZodType> {
  description?: string | undefined;
  querySchema?: Q | undefined;
  bodySchema?: B | undefined;
  /** The response it returns is the one the caller gets. */
  handler(
    request: Request,
    args: LiveArgs & { query: z.output<Q>; body: z.output<B> },
  ): Awaitable<Response>;
}

/** One route of a channel, below `/v1/channels/<id>`. */
export interface Route {
  readonly method: RouteMethod;
  readonly path: string;
  readonly description?: string | undefined;
  readonly querySchema?: ZodType | undefined;
  readonly bodySchema?: ZodType | undefined;
  handler(
    request: Request,
    args: LiveArgs & { query: unknown; body: unknown },
  ): Awaitable<Response>;
}

const routeOf =
  (method: RouteMethod) =>
  <Q extends ZodType, B extends ZodType>(path: string, spec: RouteSpec<Q, B>): Route =>
    ({ ...spec, method, path }) as Route;

export const GET = routeOf("GET");
export const POST = routeOf("POST");
export const PUT = routeOf("PUT");
export const PATCH = routeOf("PATCH");
export const DELETE = routeOf("DELETE");
