import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SeededAgent, seedAgent } from "../../support/seed-agent";
import { bearerFor, listen } from "../../support/test-api";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

let berth: TestPlatform;
let agent: SeededAgent;
let headers: { authorization: string };
let web: Awaited<ReturnType<typeof listen>>;

beforeAll(async () => {
  berth = await startTestPlatform();
  agent = await seedAgent(berth);
  headers = await bearerFor(agent);
  web = await listen();
});
afterAll(async () => {
  await web.close();
  await berth.stop();
});

/** Bytes to the server as they are, and everything it says until it hangs up. */
async function raw(text: string): Promise<string> {
  const socket = connect(web.port, "127.0.0.1");
  let said = "";
  socket.setEncoding("utf8").on("data", (chunk) => {
    said += chunk;
  });
  socket.write(text);
  await once(socket, "close");
  return said;
}

const get = (target: string, more = "") =>
  raw(`GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${more}\r\n`);
const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")).trim());

describe("which handler answers", () => {
  test("the API its own paths, pages the rest", async () => {
    expect(await get("/healthz")).toContain('{"ok":true}');
    const pages = ["/", "/login", "/api/auth/session", "/x/y/sessions", "/_next/static/v1/a.js"];
    for (const path of pages) expect(await get(path), path).toContain(`page ${path}`);
    const agents = ["/a/b/v1/info", "/a/b/v1", "/A/B/v1/session", "/api/none", "/api"];
    for (const path of agents) expect(await get(path), path).toMatch(/"(error|code)":"un/);
  });

  test("paths that some parser would read as others route nowhere", async () => {
    const paths = [
      "/a/b/../c/v1/info",
      "/a/./b/v1/info",
      "/a/b/%2e%2e/c/v1/info",
      "/a/b/.%2E/c/v1/info",
      "/a%2fb/v1/info",
      "/a/b%5cv1/info",
      "/a//b/v1/info",
      "/a\\b/v1/info",
      "/a/b/v1/tools/%00",
      "/a/b/v1/tools/%zz",
      "//evil.example/api/v1/me",
    ];
    for (const path of paths) {
      const answer = await get(path, `authorization: ${headers.authorization}\r\n`);
      expect(answer, path).toMatch(/^HTTP\/1\.1 40[04] /);
      expect(answer, path).not.toContain("page ");
    }
    const dots = await get(
      `/${agent.orgId}./agent/v1/tools`,
      `authorization: ${headers.authorization}\r\n`,
    );
    expect(bodyOf(dots).error).toBe("not_found");
  });

  test("a header meant for Next's own middleware never arrives", async () => {
    const answer = await get("/page", "x-middleware-subrequest: src/proxy:src/proxy\r\n");
    expect(answer).toContain("page /page");
    expect(answer).not.toContain("src/proxy");
  });
});

describe("sizes", () => {
  test("headers of more than 32 KiB", async () => {
    const fits = await get("/healthz", `x-long: ${"a".repeat(30 * 1024)}\r\n`);
    expect(fits).toMatch(/^HTTP\/1\.1 200 /);
    const answer = await get("/healthz", `x-long: ${"a".repeat(33 * 1024)}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(bodyOf(answer)).toMatchObject({ ok: false, error: "headers_too_large" });
  });

  test("a request that is no HTTP", async () => {
    expect(await raw("NONSENSE\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
  });

  test("a declared length over the limit is refused before the body is sent", async () => {
    const answer = await raw(
      `POST /${agent.orgId}/agent/v1/session HTTP/1.1\r\nhost: x\r\nconnection: close\r\n` +
        `authorization: ${headers.authorization}\r\ncontent-type: application/json\r\n` +
        "content-length: 104857600\r\n\r\n",
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(bodyOf(answer).error).toBe("body_too_large");
  });

  test("100 MB without a length: refused, with memory that does not follow", async () => {
    const before = process.memoryUsage().rss;
    const request = httpRequest(`${web.url}/${agent.orgId}/agent/v1/session`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
    });
    request.setMaxListeners(0);
    const answered = once(request, "response");
    request.on("error", () => undefined); // the server hangs up on what it will not read
    const mebibyte = Buffer.alloc(1024 * 1024, 0x20);
    let open = true;
    request.on("close", () => {
      open = false;
    });
    const pump = (async () => {
      for (let sent = 0; sent < 100 && open; sent++) {
        if (!request.write(mebibyte)) {
          await Promise.race([once(request, "drain"), once(request, "close")]);
        }
      }
      request.end();
    })();
    const [response] = await answered;
    expect(response.statusCode).toBe(413);
    response.resume();
    request.destroy();
    await pump.catch(() => undefined);
    expect(process.memoryUsage().rss - before).toBeLessThan(96 * 1024 * 1024);
    expect(await get("/healthz")).toMatch(/^HTTP\/1\.1 200 /);
  });
});
