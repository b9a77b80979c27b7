import { expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import type { Loader } from "./definitions";
import { describe } from "./describe";

const described = async (kind: string, value: unknown) => {
  const load: Loader = () => Promise.resolve({ default: value });
  const { definitions } = await describe({
    definitions: { [kind]: { it: load } },
    files: { [`${kind}/it`]: `bot/${kind}/it.ts` },
  });
  return definitions[0];
};

const tool = (more: object): object => ({ description: "d", execute: () => 1, ...more });

test.each([
  ["Zod 4", z.object({ a: z.string().optional() })],
  ["Zod 3", z3.object({ a: z3.string().optional() })],
])("a tool with a %s schema has it as JSON Schema", async (_name, inputSchema) => {
  expect(await described("tools", tool({ inputSchema }))).toMatchObject({
    key: "tools/it",
    file: "bot/tools/it.ts",
    ok: true,
    warnings: [],
    tool: {
      inputSchema: { type: "object", properties: { a: { type: "string" } } },
      effect: "write",
      needsApproval: "never",
      execution: "server",
    },
  });
});

test("functions are named as such and never called", async () => {
  const explode = (): never => {
    throw new Error("called");
  };
  const definition = tool({ effect: explode, needsApproval: explode, dryRunResult: explode });
  expect(await described("tools", definition)).toMatchObject({
    tool: { effect: "function", needsApproval: "function", dryRunResult: true },
  });
});

test.each([
  ["no description", { execute: () => 1 }, "description"],
  ["no execute", { description: "d" }, "execute"],
  ["an agent tool without a script", tool({ execution: "agent" }), "script"],
  ["a bad effect", tool({ effect: "maybe" }), "effect"],
  ["a bad approval", tool({ needsApproval: "yes" }), "needsApproval"],
  ["a bad list of time arguments", tool({ timeArgs: "since" }), "timeArgs"],
  ["a bad timeout", tool({ timeoutMs: -1 }), "timeoutMs"],
  ["no object", 7, "not a tool"],
  ["no default", undefined, "default export"],
])("%s is an invalid definition", async (_name, value, message) => {
  expect(await described("tools", value)).toMatchObject({
    ok: false,
    error: { code: "invalid_definition", message: expect.stringContaining(message) },
  });
});

test("other definitions are their data, with markers for what JSON cannot hold", async () => {
  const cyclic: Record<string, unknown> = { name: "c" };
  cyclic.self = cyclic;
  const value = {
    routes: [{ path: "/x", handler: () => 1 }],
    match: /a+/i,
    bytes: new Uint8Array(3),
    big: 1n,
    schema: z.string(),
    cyclic,
    gone: undefined,
  };
  expect(await described("channels", value)).toMatchObject({
    ok: true,
    exports: ["default"],
    data: {
      routes: [{ path: "/x", handler: { $berth: "function" } }],
      match: { $berth: "regexp", source: "a+", flags: "i" },
      bytes: { $berth: "bytes", length: 3 },
      big: { $berth: "bigint", value: "1" },
      schema: { $berth: "schema", jsonSchema: { type: "string" } },
      cyclic: { name: "c", self: { $berth: "cycle" } },
    },
  });
});

test("a module that throws over an unset variable names it; others just failed", async () => {
  const failing =
    (read: () => void): Loader =>
    () => {
      read();
      return Promise.reject(new Error("broken"));
    };
  const { definitions } = await describe({
    definitions: {
      tools: {
        secret: failing(() => void process.env.A_MISSING_TOKEN),
        plain: failing(() => void process.env.NODE_ENV),
      },
    },
    files: {},
  });
  expect(definitions).toMatchObject([
    { error: { code: "secret_missing_at_load", variable: "A_MISSING_TOKEN", message: "broken" } },
    { error: { code: "load_failed" } },
  ]);
});
