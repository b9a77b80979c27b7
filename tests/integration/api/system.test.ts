import { afterAll, beforeAll, expect, test } from "vitest";
import { ROUTES } from "../../../src/server/api";
import { createQueueBackend, provideQueue, type QueueBackend } from "../../../src/server/jobs";
import { send } from "../../support/test-api";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

let berth: TestPlatform;
let queue: QueueBackend;
beforeAll(async () => {
  berth = await startTestPlatform();
  const { env, log } = berth.platform;
  queue = createQueueBackend({ databaseUrl: env.DATABASE_URL, redis: undefined, log });
});
afterAll(async () => {
  provideQueue(undefined);
  await queue.close();
  await berth.stop();
});

test("the description lists every route with its parameters and answers", async () => {
  const { status, body } = await send("GET", "/api/openapi.json");
  expect(status).toBe(200);
  expect(body.openapi).toBe("3.1.0");
  for (const { method, path, answer } of ROUTES) {
    const operation = body.paths[path][method.toLowerCase()];
    expect(operation.responses[answer.status], `${method} ${path}`).toBeDefined();
    const inPath = (operation.parameters ?? [])
      .filter((parameter: { in: string }) => parameter.in === "path")
      .map((parameter: { name: string }) => parameter.name);
    const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    expect(inPath.sort(), path).toEqual(named.sort());
  }
});

test("each route is there once", () => {
  const names = ROUTES.map(({ method, path }) => `${method} ${path}`);
  expect(new Set(names).size).toBe(names.length);
});

test("readiness says what is missing, and what row-level security does", async () => {
  expect((await send("GET", "/healthz")).body).toEqual({ ok: true });
  const none = await send("GET", "/readyz");
  expect(none).toMatchObject({
    status: 503,
    body: {
      ok: false,
      checks: { postgres: { ok: true }, queue: { ok: false }, workers: { ok: false } },
    },
  });
  expect(none.body.checks.rowLevelSecurity.detail).toMatch(/binds this service/);
  await berth.sql(
    `INSERT INTO worker (id, address, slots, build, sandbox)
     VALUES ('w', 'x', 1, 'x', '{"driver":"bwrap","strength":"namespace"}')`,
  );
  provideQueue(queue);
  const ready = await send("GET", "/readyz");
  expect(ready).toMatchObject({
    status: 200,
    body: { ok: true, checks: { sandbox: { detail: "Strength namespace." } } },
  });
});
