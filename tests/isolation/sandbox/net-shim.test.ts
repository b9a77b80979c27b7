import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/server/sandbox";
import { requireBubblewrap, runInside, SandboxHarness } from "../../support/sandbox";

const usable = requireBubblewrap();
const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
  });

/** A throw-away certificate that is its own authority. */
function selfSigned(folder: string): { key: string; cert: string } {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=secure.test"],
      ...["-addext", "subjectAltName=DNS:secure.test"],
    ],
    { stdio: "ignore" },
  );
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
}

describe.skipIf(!usable)("ordinary clients reach allowed hosts unchanged", () => {
  const servers: Server[] = [];
  let harness: SandboxHarness;
  let sandbox: Sandbox;
  let cert: string;

  beforeAll(async () => {
    const plain = createHttpServer((request, response) => {
      let bytes = 0;
      request.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      request.on("end", () =>
        response.end(`plain ${request.headers.host} ${request.url} ${bytes}`),
      );
    });
    const speaksFirst = createServer((socket) => {
      socket.write("220 hello\r\n");
      socket.once("data", (chunk) => socket.end(`bye ${chunk}`));
      socket.on("error", () => socket.destroy());
    });
    const targets = [
      {
        purpose: "sandbox" as const,
        host: "plain.test",
        address: "127.0.0.1",
        port: await listen(plain),
      },
      {
        purpose: "sandbox" as const,
        host: "first.test",
        address: "127.0.0.1",
        port: await listen(speaksFirst),
      },
    ];
    // The secure server's key lives in the harness's folder, so its port is asked for first.
    const keys = await SandboxHarness.open({ driver: "unsafe-process" });
    const pair = selfSigned(keys.folder);
    cert = pair.cert;
    await keys.close();
    const secure = createHttpsServer(pair, (request, response) =>
      response.end(`secure ${request.headers.host}`),
    );
    targets.push({
      purpose: "sandbox",
      host: "secure.test",
      address: "127.0.0.1",
      port: await listen(secure),
    });
    servers.push(plain, speaksFirst, secure);
    harness = await SandboxHarness.open({
      driver: "bwrap",
      hostPrograms: true,
      targets,
      domains: ["plain.test", "secure.test", "first.test:25"],
    });
    sandbox = await harness.start();
  });
  afterAll(async () => {
    await sandbox?.kill("the test is over");
    for (const server of servers) server.close();
    await harness?.close();
  });

  const inside = (code: string) => runInside(sandbox, code, 15_000);
  const httpGet = (module: string, url: string, options = "{}") =>
    `return await new Promise((r, j) => require("${module}").get("${url}", ${options}, s => { let b = ""; s.on("data", d => b += d); s.on("end", () => r(b)) }).on("error", j))`;

  test("fetch, with a body of 200 KB", async () => {
    const code = `return await (await fetch("http://plain.test/a", { method: "POST", body: "x".repeat(200_000) })).text()`;
    expect(await inside(code)).toBe("plain plain.test /a 200000");
  });

  test("http with a keep-alive agent", async () => {
    const code = `const http = require("http"), agent = new http.Agent({ keepAlive: true, maxSockets: 1 }); const get = () => new Promise((r, j) => http.get("http://plain.test/k", { agent }, s => { let b = ""; s.on("data", d => b += d); s.on("end", () => r(b)) }).on("error", j)); const all = [await get(), await get()]; agent.destroy(); return all`;
    expect(await inside(code)).toEqual(["plain plain.test /k 0", "plain plain.test /k 0"]);
  });

  test("https checks the certificate against the authority it is given", async () => {
    const options = JSON.stringify({ ca: cert });
    expect(await inside(httpGet("https", "https://secure.test/", options))).toBe(
      "secure secure.test",
    );
    await expect(inside(httpGet("https", "https://secure.test/"))).rejects.toThrow(/self.signed/i);
  });

  test("fetch over TLS", async () => {
    const code = `process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0"; try { return await (await fetch("https://secure.test/")).text() } finally { delete process.env.NODE_TLS_REJECT_UNAUTHORIZED }`;
    expect(await inside(code)).toBe("secure secure.test");
  });

  test("raw sockets, also where the server speaks first", async () => {
    const talk = (host: string) =>
      `const host = ${host}; return await new Promise((r, j) => { const s = require("net").connect(25, host); let b = ""; s.on("data", d => { b += d; if (b === "220 hello\\r\\n") s.write("EHLO") }); s.on("end", () => r(b)); s.on("error", j) })`;
    expect(await inside(talk(`"first.test"`))).toBe("220 hello\r\nbye EHLO");
    expect(await inside(talk(`(await require("dns").promises.lookup("first.test")).address`))).toBe(
      "220 hello\r\nbye EHLO",
    );
  });

  test("fetch in a worker thread", async () => {
    const code = `const { Worker } = require("worker_threads"); return await new Promise((r, j) => { const w = new Worker('fetch("http://plain.test/w").then(x => x.text(), e => String(e.cause ?? e)).then(t => require("worker_threads").parentPort.postMessage(t))', { eval: true }); w.on("message", r); w.on("error", j) })`;
    expect(await inside(code)).toBe("plain plain.test /w 0");
  });

  test("fetch in a child process, and a child that is waited for", async () => {
    const script = `fetch("http://plain.test/c").then(r => r.text()).then(console.log, e => console.log("failed", e.cause))`;
    const code = `return require("child_process").execFileSync(process.execPath, ["-e", ${JSON.stringify(script)}], { encoding: "utf8" })`;
    expect(await inside(code)).toBe("plain plain.test /c 0\n");
  });

  test.each(["http://evil.test/", "https://evil.test/"])("%s is denied by name", async (url) => {
    const code = `return await fetch("${url}").then(() => "REACHED", e => e.cause.code + " " + e.cause.message)`;
    expect(await inside(code)).toBe(
      "EACCES egress denied: evil.test is not in hosting.egressDomains",
    );
  });

  test("servers of the guest's own loopback work", async () => {
    const code = `const http = require("http"); const s = http.createServer((q, a) => a.end("own")); await new Promise(r => s.listen(0, r)); const t = await (await fetch("http://127.0.0.1:" + s.address().port)).text(); s.close(); return t`;
    expect(await inside(code)).toBe("own");
  });
});
