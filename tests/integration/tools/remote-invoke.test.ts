import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  createInternalServer,
  type Invoke,
  RemoteInvoker,
  SandboxError,
} from "../../../src/server/sandbox";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

const TOKEN = "internal-token-of-tests";
const REF = { orgId: "org_1", agentId: "agt_1", version: 1 };
const CALL = { kind: "describe" } as const;

let berth: TestPlatform;
let servers: Server[] = [];
let invokers: RemoteInvoker[] = [];

beforeAll(async () => {
  berth = await startTestPlatform();
});
afterAll(() => berth.stop());
afterEach(async () => {
  await Promise.all(invokers.map((invoker) => invoker.close()));
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  servers = [];
  invokers = [];
  await berth.sql("DELETE FROM worker");
});

const remote = (token = TOKEN): RemoteInvoker => {
  const invoker = new RemoteInvoker(token);
  invokers.push(invoker);
  return invoker;
};

const announceWorker = (address: string, seen = "now()") =>
  berth.sql(
    `INSERT INTO worker (id, address, slots, build, seen_at) VALUES ($1, $2, 1, 'x', ${seen})`,
    [randomUUID(), address],
  );

async function startWorker(invoke: Invoke, socket?: string): Promise<string> {
  const { log } = berth.platform;
  const server = createInternalServer({ invoke, token: TOKEN, log });
  servers.push(server);
  server.listen(socket ? { path: socket } : { port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const address = socket ?? `127.0.0.1:${(server.address() as AddressInfo).port}`;
  await announceWorker(address);
  return address;
}

/** An address where nothing listens. */
async function deadAddress(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `127.0.0.1:${port}`;
}

test.each([
  ["TCP", undefined],
  ["a unix socket", join(tmpdir(), `berth-${randomUUID()}.sock`)],
])("a call and its result travel over %s", async (_, socket) => {
  const seen: unknown[] = [];
  await startWorker((ref, call, { timeoutMs }) => {
    seen.push({ ref, call, timeoutMs });
    return Promise.resolve({ answer: "ü\u0000" });
  }, socket);
  const result = await remote().invoke(REF, CALL, { timeoutMs: 1_000 });
  expect(result).toEqual({ answer: "ü\u0000" });
  expect(seen).toEqual([{ ref: REF, call: CALL, timeoutMs: 1_000 }]);
});

test.each(["tool_timeout", "workspace_unavailable", "output_too_large"] as const)(
  "errors arrive with their code, message and whether the call was sent: %s",
  async (code) => {
    const thrown = new SandboxError(code, "too slow", { sent: true, guestStack: "at x" });
    await startWorker(() => Promise.reject(thrown));
    await expect(remote().invoke(REF, CALL, { timeoutMs: 1_000 })).rejects.toMatchObject({
      code,
      message: "too slow",
      sent: true,
      guestStack: "at x",
    });
  },
);

test("one worker serves a version, and another takes over when it is gone", async () => {
  const counts = [0, 0];
  for (const index of [0, 1]) {
    await startWorker(() => {
      counts[index]!++;
      return Promise.resolve(index);
    });
  }
  const invoker = remote();
  const first = await invoker.invoke(REF, CALL, { timeoutMs: 1_000 });
  for (let i = 0; i < 5; i++) {
    expect(await invoker.invoke(REF, CALL, { timeoutMs: 1_000 })).toBe(first);
  }
  const gone = servers[first as number]!;
  gone.closeAllConnections();
  gone.close();
  await once(gone, "close");
  // A connection that broke while idle may have to be noticed first; a read is sent again.
  const options = { timeoutMs: 1_000, repeatable: true };
  expect(await invoker.invoke(REF, CALL, options)).toBe(1 - (first as number));
});

test("nothing listens: fails over unsent, and says so when there is nobody else", async () => {
  await announceWorker(await deadAddress());
  const failure = { code: "runtime_lost", sent: false };
  await expect(remote().invoke(REF, CALL, { timeoutMs: 1_000 })).rejects.toMatchObject(failure);
  await startWorker(() => Promise.resolve("here"));
  expect(await remote().invoke(REF, CALL, { timeoutMs: 1_000 })).toBe("here");
});

test("a worker that dies during a write is not asked again, during a read it is", async () => {
  let calls = 0;
  for (let i = 0; i < 2; i++) {
    await startWorker(() => {
      calls++;
      for (const server of servers) server.closeAllConnections();
      return new Promise(() => undefined);
    });
  }
  const lost = { code: "runtime_lost", sent: true };
  await expect(remote().invoke(REF, CALL, { timeoutMs: 5_000 })).rejects.toMatchObject(lost);
  expect(calls).toBe(1);
  const read = { timeoutMs: 5_000, repeatable: true };
  await expect(remote().invoke(REF, CALL, read)).rejects.toMatchObject(lost);
  expect(calls).toBe(3);
});

test("workers that were not seen for 5 s, and no workers", async () => {
  await announceWorker(await deadAddress(), "now() - interval '6 s'");
  await expect(remote().invoke(REF, CALL, { timeoutMs: 1_000 })).rejects.toMatchObject({
    code: "runtime_lost",
    message: expect.stringContaining("No worker"),
  });
});

test("whoever gives up aborts the call", async () => {
  const aborted = withResolvers();
  const started = withResolvers();
  await startWorker((_ref, _call, { signal }) => {
    signal?.addEventListener("abort", () => aborted.resolve());
    started.resolve();
    return new Promise(() => undefined);
  });
  const gone = new AbortController();
  const call = remote().invoke(REF, CALL, { timeoutMs: 5_000, signal: gone.signal });
  const failed = expect(call).rejects.toMatchObject({ code: "cancelled" });
  await started.promise;
  gone.abort();
  await failed;
  await aborted.promise;
});

test("only services of the installation are heard", async () => {
  let calls = 0;
  const address = await startWorker(() => Promise.resolve(++calls));
  await expect(remote("wrong").invoke(REF, CALL, { timeoutMs: 1_000 })).rejects.toMatchObject({
    code: "sandbox_failed",
  });
  const url = `http://${address}/internal/invoke`;
  const statusOf = async (init: RequestInit, path = url) => (await fetch(path, init)).status;
  const authorization = `Bearer ${TOKEN}`;
  expect(await statusOf({ method: "POST", body: "{}" })).toBe(401);
  expect(await statusOf({ headers: { authorization } })).toBe(404);
  expect(await statusOf({ method: "POST", body: "{", headers: { authorization } })).toBe(400);
  expect(await statusOf({ method: "POST", body: "{}", headers: { authorization } })).toBe(400);
  expect(calls).toBe(0);
});

function withResolvers() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
