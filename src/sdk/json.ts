/** Any value that JSON can hold. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | JsonValue[]
  | { [key: string]: JsonValue };

export type JsonObject = { [key: string]: JsonValue };

/** A JSON Schema, draft 7 or 2020-12. */
export type JsonSchemaObject = { [key: string]: unknown };

/** A value, now or later: callbacks of a project may be synchronous. */
export type Awaitable<T> = T | Promise<T>;
