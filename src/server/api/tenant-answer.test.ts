import { describe, expect, test } from "vitest";
import { foreignAnswer, foreignHeaders } from "./tenant-answer";
import { refuseServiceWorker, tenantHeaders } from "./tenant-request";

const named = (headers: Record<string, string>) => [...foreignHeaders(new Headers(headers)).keys()];
const FORCED = ["content-security-policy", "referrer-policy", "x-content-type-options"];

describe("answers of tenant code", () => {
  test.each([
    "set-cookie",
    "clear-site-data",
    "service-worker-allowed",
    "strict-transport-security",
    "access-control-allow-origin",
    "access-control-anything-new",
    "alt-svc",
    "connection",
    "keep-alive",
    "transfer-encoding",
    "upgrade",
    "trailer",
  ])("lose %s", (name) => {
    expect(named({ [name]: "x" })).toEqual(FORCED);
  });

  test("lose what their Connection header names", () => {
    expect(named({ connection: "close, X-Hop", "x-hop": "1", "x-own": "2" })).toEqual(
      [...FORCED, "x-own"].sort(),
    );
  });

  test("cannot choose their own policy", () => {
    const headers = foreignHeaders(
      new Headers({ "content-security-policy": "default-src *", "referrer-policy": "unsafe-url" }),
    );
    expect(headers.get("content-security-policy")).toBe("sandbox");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  test.each([
    ["https://example.com/a", true],
    ["HTTP://example.com", true],
    ["/relative?x", true],
    ["javascript:alert(1)", false],
    ["data:text/html,x", false],
    ["//evil.example", false],
    ["/\\evil.example", false],
    ["file:///etc/passwd", false],
  ])("lead to %s: %s", (location, kept) => {
    expect(foreignHeaders(new Headers({ location })).has("location")).toBe(kept);
  });

  test("keep status, body and their other headers", async () => {
    const answer = foreignAnswer(
      new Response("hi", { status: 418, headers: { "x-own": "1", "content-type": "text/html" } }),
    );
    expect([answer.status, await answer.text()]).toEqual([418, "hi"]);
    expect([answer.headers.get("x-own"), answer.headers.get("content-type")]).toEqual([
      "1",
      "text/html",
    ]);
  });
});

describe("requests to tenant code", () => {
  test("carry no credential of ours", () => {
    const headers = tenantHeaders(
      new Headers({
        cookie: "next-auth.session-token=x",
        authorization: "Bearer bth_1abc_2def",
        "x-api-key": "bth_1abc_2def",
        "x-berth-csrf": "t",
        "x-hub-signature-256": "sha256=ab",
        "content-type": "application/json",
      }),
    );
    expect([...headers.keys()]).toEqual(["content-type", "x-hub-signature-256"]);
  });

  test("keep a bearer that is the tenant's own", () => {
    const headers = tenantHeaders(new Headers({ authorization: "Bearer theirs" }));
    expect(headers.get("authorization")).toBe("Bearer theirs");
  });

  test("for a service worker are refused", () => {
    expect(() => refuseServiceWorker(new Headers({ "service-worker": "Script" }))).toThrow();
    expect(() => refuseServiceWorker(new Headers())).not.toThrow();
  });
});
