import type { ZodType, z } from "zod";
import type { JsonSchemaObject } from "../json";
import { platformFor } from "../platform";

interface Question {
  question: string;
  /** What the decision is about; anything JSON can hold. */
  input?: unknown;
}

export interface ChoiceQuestion<C extends string> extends Question {
  choices: readonly C[];
  schema?: undefined;
}

export interface SchemaQuestion<S> extends Question {
  schema: S;
  choices?: undefined;
}

interface Parser {
  parse(value: unknown): unknown;
  toJSONSchema?: () => JsonSchemaObject;
}

const isParser = (schema: object): schema is Parser =>
  "parse" in schema && typeof schema.parse === "function";

const wireSchema = (schema: object): object => {
  if (!isParser(schema)) return schema;
  if (schema.toJSONSchema === undefined) {
    throw new TypeError("decide() needs a schema of Zod 4 or a plain JSON Schema");
  }
  return schema.toJSONSchema();
};

/**
 * One structured model call without a turn: answers one of `choices`, or a value of `schema`.
 * Rejects when the model's answer does not fit.
 */
export function decide<const C extends string>(question: ChoiceQuestion<C>): Promise<C>;
export function decide<S extends ZodType>(question: SchemaQuestion<S>): Promise<z.output<S>>;
export function decide(question: SchemaQuestion<JsonSchemaObject>): Promise<unknown>;
export async function decide(
  question: ChoiceQuestion<string> | SchemaQuestion<object>,
): Promise<unknown> {
  const { schema, choices, ...rest } = question;
  const platform = platformFor("decide");
  if (schema === undefined) {
    const answer = await platform.call("decide", { ...rest, choices });
    if (typeof answer === "string" && choices?.includes(answer)) return answer;
    throw new Error(`the model answered none of: ${choices?.join(", ")}`);
  }
  const answer = await platform.call("decide", { ...rest, schema: wireSchema(schema) });
  return isParser(schema) ? schema.parse(answer) : answer;
}
