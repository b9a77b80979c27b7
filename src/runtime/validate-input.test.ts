import { expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { validateInput } from "./validate-input";

const fields = { city: z.string(), days: z.number().default(3) };

test.each([
  ["Zod 4", z.object(fields)],
  ["Zod 3", z3.object({ city: z3.string(), days: z3.number().default(3) })],
])("%s validates and fills in defaults", async (_name, schema) => {
  expect(await validateInput(schema, { city: "Bern" })).toEqual({
    ok: true,
    value: { city: "Bern", days: 3 },
  });
  const failed = await validateInput(schema, { city: 1 });
  expect(failed).toMatchObject({ ok: false, issues: [{ path: "city" }] });
});

test("unions, optional roots and async refinements of Zod work", async () => {
  const union = z.union([z.string(), z.object({ n: z.number() })]).optional();
  expect(await validateInput(union, undefined)).toEqual({ ok: true, value: undefined });
  const refined = z.string().refine((text) => Promise.resolve(text === "yes"));
  expect(await validateInput(refined, "yes")).toMatchObject({ ok: true });
  expect(await validateInput(refined, "no")).toMatchObject({ ok: false });
});

test.each([
  ["no dialect", {}],
  ["draft 7", { $schema: "http://json-schema.org/draft-07/schema#" }],
  ["2020-12", { $schema: "https://json-schema.org/draft/2020-12/schema" }],
])("JSON Schema with %s validates without coercion", async (_name, dialect) => {
  const schema = {
    ...dialect,
    type: "object",
    properties: { n: { type: "number", default: 2, unknownKeyword: true } },
    required: ["n"],
  };
  expect(await validateInput(schema, { n: 1 })).toEqual({ ok: true, value: { n: 1 } });
  expect(await validateInput(schema, { n: "1" })).toEqual({
    ok: false,
    issues: [{ path: "n", message: "must be number" }],
  });
});

test("formats are told to the model and not enforced", async () => {
  const schema = { type: "string", format: "email" };
  expect(await validateInput(schema, "nobody")).toEqual({ ok: true, value: "nobody" });
});

test("keywords of 2020-12 are enforced", async () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "array",
    prefixItems: [{ type: "string" }],
  };
  expect(await validateInput(schema, [1])).toMatchObject({ ok: false });
});

test("a schema that does not compile, and none at all, let everything through", async () => {
  expect(await validateInput({ type: "nonsense" }, 1)).toEqual({ ok: true, value: 1 });
  expect(await validateInput({ $ref: "#/missing" }, 1)).toEqual({ ok: true, value: 1 });
  expect(await validateInput(undefined, 1)).toEqual({ ok: true, value: 1 });
});

test("other libraries come in through the standard interface", async () => {
  const even = {
    "~standard": {
      validate: (input: unknown) =>
        Promise.resolve(
          Number(input) % 2 === 0
            ? { value: Number(input) }
            : { issues: [{ message: "odd", path: ["a", { key: 0 }] }] },
        ),
    },
  };
  expect(await validateInput(even, "4")).toEqual({ ok: true, value: 4 });
  expect(await validateInput(even, 3)).toEqual({
    ok: false,
    issues: [{ path: "a.0", message: "odd" }],
  });
});
