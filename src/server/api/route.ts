import type { z } from "zod";
import type { FoundAgent } from "../agents";
import type { Ctx } from "../platform/context";
import type { Caller } from "../tenancy";

/**
 * Who may call a route. `none`: anybody. `caller`: a signed-in person or a key, before any org is
 * known. `org`: the path's `{org}` is resolved and the caller belongs to it. `agent`: so is `{agent}`.
 */
export type AuthKind = "none" | "caller" | "org" | "agent";

interface Identity {
  none: { caller: null };
  caller: { caller: Caller };
  org: { caller: Caller; ctx: Ctx; orgSlug: string };
  agent: { caller: Caller; ctx: Ctx; orgSlug: string; agent: FoundAgent };
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
type Output<S> = S extends z.ZodType ? z.output<S> : undefined;

interface Incoming {
  request: Request;
  requestId: string;
  /** The client's address; null where none is known. */
  ip: string | null;
  /** The body of a route with `rawBody`; null on every other, and where none was sent. */
  upload: ReadableStream<Uint8Array> | null;
}

/** What a handler gets: the identity its `auth` promises, and parsed params, query and body. */
export type RouteArgs<A extends AuthKind, P, Q, B> = Incoming &
  Identity[A] & { params: Output<P>; query: Output<Q>; body: Output<B> };

export interface RouteAnswer {
  status: number;
  description: string;
  /** Schema of a JSON answer. */
  schema?: z.ZodType;
  /** Media type of an answer that is not JSON. */
  type?: string;
  /** Tenant code has a say in it, so it must not act for our origin. */
  foreign?: boolean;
  /** An answer with the member `member` holds a secret, and is about what its member `id` names. */
  secret?: { member: string; id: string };
}

interface RouteHead {
  method: Method;
  /** OpenAPI path. `{org}` and `{agent}` belong to the identity; other parameters to `params`. */
  path: `/${string}`;
  summary: string;
  /** Section of the API description. */
  tag: string;
  answer: RouteAnswer;
  /** Largest body in bytes; 16 MiB when absent. */
  maxBodyBytes?: number;
  /** Media type of a body that the handler reads from `upload` itself. */
  rawBody?: string;
  /** Below it tenant code answers: credentials are withheld from it and its answers are foreign. */
  tenantAnswers?: boolean;
}

interface RouteSpec<A extends AuthKind, P, Q, B> extends RouteHead {
  auth: A;
  /** A parameter that does not parse answers like an id that does not exist. */
  params?: P;
  query?: Q;
  /** JSON body. */
  body?: B;
  /** At most 30 lines: translate, call one verb, translate back. A `Response` is sent as it is. */
  handler(args: RouteArgs<A, P, Q, B>): Promise<unknown>;
  /** Answers a repeated request again, from its `Location`, where the answer is a stream. */
  again?(args: RouteArgs<A, P, Q, B>, location: string): Promise<Response>;
}

/** A route of the table, its handler's types checked and erased. */
export interface Route extends RouteHead {
  auth: AuthKind;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  handler(args: never): Promise<unknown>;
  again?(args: never, location: string): Promise<Response>;
}

/** Checks one row of the route table: the handler's arguments follow from `auth` and the schemas. */
export const route = <
  A extends AuthKind,
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(
  spec: RouteSpec<A, P, Q, B>,
): Route => spec as unknown as Route;
