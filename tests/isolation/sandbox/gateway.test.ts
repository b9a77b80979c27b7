import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer as createHttpServer, request } from "node:http";
import { connect, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SandboxProxy } from "../../../src/gateway/sandbox-proxy";
import type { EgressDenial } from "../../../src/protocol/gateway-control";
import { SandboxHarness } from "../../support/sandbox";

const ADDRESSES: Record<string, string> = {
  "rebind.test": "127.0.0.1",
  "meta.test": "169.254.169.254",
  "mapped.test": "::ffff:127.0.0.1",
  "nat64.test": "64:ff9b::7f00:1",
};

let folder: string;
let upstream: Server;
let port: number;
let reached = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "berth-gw-"));
  upstream = createHttpServer((_request, response) => {
    reached++;
    response.end("reached");
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  port = (upstream.address() as { port: number }).port;
});
afterAll(async () => {
  upstream.close();
  await rm(folder, { recursive: true });
});

/** First line of the answer to a raw request; `closed` when there is none. */
const exchange = (socketPath: string, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(socketPath, () => socket.write(text));
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
      if (!answer.includes("\r\n\r\n")) return;
      resolve(answer.split("\r\n")[0] ?? "");
      socket.destroy();
    });
    socket.on("close", () => resolve("closed"));
    socket.on("error", reject);
  });

describe("one sandbox's proxy", () => {
  const denials: EgressDenial[] = [];
  let proxy: SandboxProxy;
  let socketPath: string;

  beforeAll(async () => {
    socketPath = join(folder, "proxy.sock");
    proxy = new SandboxProxy({
      socketPath,
      rules: { domains: Object.keys(ADDRESSES).flatMap((host) => [host, `${host}:${port}`]) },
      targets: [],
      onDenied: (denial) => denials.push(denial),
      resolve: (host) => Promise.resolve([{ address: ADDRESSES[host] ?? "1.1.1.1" }]),
    });
    await proxy.listen();
  });
  afterAll(() => proxy.close());

  test.each(Object.keys(ADDRESSES))("%s is never dialled", async (host) => {
    const text = `CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    expect(await exchange(socketPath, text)).toBe("HTTP/1.1 403 Forbidden");
    const plain = `GET http://${host}:${port}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    expect(await exchange(socketPath, plain)).toBe("HTTP/1.1 403 Forbidden");
    expect(reached).toBe(0);
    expect(denials.at(-1)).toMatchObject({ host, port });
    expect(denials.at(-1)?.allowLine).toBeUndefined();
  });

  test.each([
    "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "CONNECT nothing HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET ftp://a.test/ HTTP/1.1\r\nHost: x\r\n\r\n",
  ])("%j is a bad request", async (text) => {
    expect(await exchange(socketPath, text)).toBe("HTTP/1.1 400 Bad Request");
  });

  test("what is no HTTP at all is cut off", async () => {
    expect(await exchange(socketPath, "\0\0\0\0garbage\r\n\r\n")).toBe("closed");
  });
});

describe("the gateway process", () => {
  let harness: SandboxHarness;
  let socketPath: string;
  const run = promisify(execFile);

  beforeAll(async () => {
    harness = await SandboxHarness.open({
      driver: "unsafe-process",
      targets: [{ purpose: "sandbox", host: "up.test", address: "127.0.0.1", port }],
    });
    const uid = harness.gateway.uid;
    if (uid !== undefined) await run("chown", [String(uid), folder]);
    socketPath = join(folder, "process.sock");
    await harness.gateway.serve("one", socketPath, { domains: ["up.test"] });
  });
  afterAll(() => harness.close());

  const get = (): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      request({ socketPath, path: "http://up.test/" }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on("error", reject)
        .end();
    });

  test("serves, without this process's environment and rights", async () => {
    expect(await get()).toBe(200);
    const { stdout } = await run("pgrep", ["-f", join(harness.folder, "dist/gateway.mjs")]);
    const pid = stdout.trim().split("\n")[0];
    const environment = await run("cat", [`/proc/${pid}/environ`]);
    expect(environment.stdout).not.toMatch(/DATABASE|VITEST/);
    const status = await run("cat", [`/proc/${pid}/status`]);
    if (harness.gateway.uid !== undefined)
      expect(status.stdout).toMatch(/^Uid:\s+199999\s+199999/m);
  });

  test("is started again when it dies, and serves what it served", async () => {
    const { stdout } = await run("pgrep", ["-f", join(harness.folder, "dist/gateway.mjs")]);
    process.kill(Number(stdout.trim().split("\n")[0]), "SIGKILL");
    await expect.poll(() => get().catch(() => 0), { timeout: 10_000 }).toBe(200);
  });

  test("a socket that was dropped is gone", async () => {
    await harness.gateway.drop("one");
    await expect(get()).rejects.toThrow(/ENOENT|ECONNREFUSED/);
  });
});
