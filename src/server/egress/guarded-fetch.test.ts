import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OutboundGuard } from "./guarded-fetch";
import { createOutboundGuard } from "./guarded-fetch";

let server: Server;
let forbidden: Server;
let guard: OutboundGuard;
let port: number;
let forbiddenPort: number;
let reached = 0;

const listen = (target: Server): Promise<number> =>
  new Promise((resolve) => {
    target.listen(0, "127.0.0.1", () => resolve((target.address() as { port: number }).port));
  });

beforeAll(async () => {
  forbidden = createServer((_request, response) => {
    reached++;
    response.end("reached");
  });
  forbiddenPort = await listen(forbidden);
  server = createServer((request, response) => {
    if (request.url !== "/redirect") return response.end(`host ${request.headers.host}`);
    response.writeHead(302, { location: `http://127.0.0.1:${forbiddenPort}/` });
    return response.end();
  });
  port = await listen(server);
  guard = createOutboundGuard({
    purpose: "models",
    targets: [
      { purpose: "models", address: "127.0.0.1", port },
      { purpose: "mcp", address: "127.0.0.1", port: forbiddenPort },
    ],
    resolve: () => Promise.resolve([{ address: "127.0.0.1" }]),
  });
});
afterAll(async () => {
  await guard.close();
  server.close();
  forbidden.close();
});

test("an opened target is reached, by address and by name", async () => {
  expect(await (await guard.fetch(`http://127.0.0.1:${port}/`)).text()).toBe(
    `host 127.0.0.1:${port}`,
  );
  expect(await (await guard.fetch(`http://named.test:${port}/`)).text()).toBe(
    `host named.test:${port}`,
  );
});

test.each([
  ["another purpose's port", () => `http://127.0.0.1:${forbiddenPort}/`],
  ["a name that leads there", () => `http://named.test:${forbiddenPort}/`],
  ["a redirect to it", () => `http://127.0.0.1:${port}/redirect`],
  ["a metadata address", () => "http://169.254.169.254/latest/meta-data"],
  ["an address in decimal", () => `http://2130706433:${forbiddenPort}/`],
])("%s is refused before it is dialled", async (_name, url) => {
  await expect(guard.fetch(url())).rejects.toMatchObject({
    cause: { code: "private_target_refused" },
  });
  expect(reached).toBe(0);
});
