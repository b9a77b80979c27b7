import { expect, test } from "vitest";
import { storeFault } from "./store-fault";

const withCode = (code: string) => Object.assign(new Error("it failed"), { code });

test.each([
  ["a refused connection", withCode("ECONNREFUSED")],
  ["a server that shuts down", withCode("57P01")],
  ["a server that starts up", withCode("57P03")],
  ["too many connections", withCode("53300")],
  ["a standby", withCode("25006")],
  ["a pool without a free connection", new Error("timeout exceeded when trying to connect")],
  ["a connection that broke", new Error("Connection terminated unexpectedly")],
  ["Prisma's words for it", withCode("P1017")],
  [
    "what Prisma's driver said",
    { code: "P2010", meta: { driverAdapterError: { cause: { originalCode: "57P01" } } } },
  ],
  ["a cause", new Error("outer", { cause: withCode("ECONNRESET") })],
])("%s is for trying again", (_name, error) => {
  expect(storeFault(error)).toMatchObject({ code: "unavailable", status: 503, retryAfterS: 2 });
});

test.each(["53100", "ENOSPC", "EDQUOT"])("%s says that there is no space", (code) => {
  expect(storeFault(withCode(code))).toMatchObject({ code: "storage_full", status: 507 });
});

test.each([
  withCode("23505"),
  withCode("42P01"),
  withCode("P2002"),
  new Error("It said: Connection terminated"),
  "ECONNREFUSED",
  undefined,
])("anything else is not explained: %s", (error) => {
  expect(storeFault(error)).toBeUndefined();
});
