import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answeringFetch, ndjson, type SeenRequest } from "../../tests/support/answering-fetch";
import { callCli } from "../../tests/support/cli-io";

const env = { BERTH_URL: "http://berth.test/acme/weather", BERTH_TOKEN: "bth_a_b" };
const sent = { sessionId: "ses_1", messageId: "msg_1", turnId: "trn_1", continuationToken: "t" };
const usage = { inputTokens: 7, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 };
const event = (index: number, type: string, data: object, turnId = "trn_1") => ({
  index,
  type,
  turnId,
  sessionId: "ses_1",
  at: "2026-01-01T00:00:00Z",
  data,
});
const turn = [
  event(0, "turn.started", {
    turnId: "trn_1",
    messageIds: ["msg_1"],
    model: "m",
    attempt: 1,
    version: 1,
  }),
  event(1, "actions.requested", { calls: [{ callId: "c1", toolName: "get", input: { a: 1 } }] }),
  event(2, "action.result", {
    callId: "c1",
    toolName: "get",
    isError: false,
    result: 5,
    durationMs: 3,
  }),
  event(3, "message.appended", { step: 1, blockId: "b", delta: "It is \u001b[31m5" }),
];
const done = event(4, "turn.completed", {
  status: "finished",
  text: "It is \u001b[31m5",
  usage,
  durationMs: 9,
});

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "berth-cli-"));
});
afterEach(() => rm(dir, { recursive: true }));

/** A server whose stream breaks once in the middle of the turn. */
function turnServer() {
  return answeringFetch(({ method, path, query }: SeenRequest) => {
    if (method === "POST" && path.endsWith("/session")) return Response.json(sent, { status: 202 });
    if (method === "POST") return Response.json({ ok: true, stopped: true }, { status: 202 });
    if (query.get("startIndex") === "0") return ndjson([...turn], { cut: true });
    return ndjson([done]);
  });
}

describe("run", () => {
  it("prints the reply alone on stdout, without terminal escapes, over a broken stream", async () => {
    const { fetch, seen } = turnServer();
    const result = await callCli(["run", "hello"], { env, fetch });
    expect(result).toMatchObject({ exitCode: 0, stdout: "It is 5\n" });
    expect(result.stderr).toContain("→ get");
    expect(seen.map(({ query }) => query.get("startIndex"))).toEqual([null, "0", "4"]);
    expect(seen[0]?.headers.get("authorization")).toBe("Bearer bth_a_b");
  });

  it("prints the trajectory with --json", async () => {
    const { fetch } = turnServer();
    const { stdout } = await callCli(["run", "hello", "--json"], { env, fetch });
    expect(JSON.parse(stdout)).toEqual({
      sessionId: "ses_1",
      turnId: "trn_1",
      status: "finished",
      reply: "It is \u001b[31m5",
      toolCalls: [
        {
          callId: "c1",
          toolName: "get",
          input: { a: 1 },
          result: 5,
          isError: false,
          durationMs: 3,
        },
      ],
      usage,
    });
  });

  it("fails with 1 and the turn's error when the turn failed", async () => {
    const failed = event(4, "turn.failed", {
      status: "failed",
      error: { code: "model_error", message: "no" },
    });
    const { fetch } = answeringFetch(({ method }) =>
      method === "POST" ? Response.json(sent) : ndjson([...turn, failed]),
    );
    const { exitCode, stdout, stderr } = await callCli(["run", "x"], { env, fetch });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toContain("error[model_error]: no");
  });

  it.each([
    ["--timeout", 8],
    ["Ctrl-C", 130],
  ])("stops the turn at %s and exits with %i", async (how, exitCode) => {
    let stopped = () => {};
    const stop = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    const cancelled = event(4, "turn.failed", {
      status: "cancelled",
      error: { code: "cancelled", message: "" },
    });
    let interrupt = () => {};
    const { fetch, seen } = answeringFetch(async ({ method, path }) => {
      if (path.endsWith("/stop")) stopped();
      if (method === "POST") return Response.json(sent);
      interrupt();
      await stop;
      return ndjson([...turn, cancelled]);
    });
    const onInterrupt = (handler: () => void) => {
      if (how === "Ctrl-C") interrupt = handler;
      return () => undefined;
    };
    const args = how === "--timeout" ? ["--timeout", "5ms"] : [];
    const result = await callCli(["run", "x", ...args], { env, fetch, onInterrupt });
    expect(result.exitCode).toBe(exitCode);
    expect(seen.filter(({ path }) => path.endsWith("/stop")).map(({ body }) => body)).toEqual([
      '{"turnId":"trn_1"}',
    ]);
  });
});

describe("errors", () => {
  it.each([
    [401, 4],
    [404, 5],
    [409, 6],
    [429, 7],
    [504, 8],
    [500, 9],
    [400, 2],
  ])("HTTP %i exits with %i, naming code and request id", async (status, exitCode) => {
    const body = {
      ok: false,
      error: "some_code",
      message: "bad \u001b]0;x\u0007thing",
      requestId: "req_1",
    };
    const { fetch } = answeringFetch(() => Response.json(body, { status }));
    const result = await callCli(["call", "get"], { env, fetch });
    expect(result.exitCode).toBe(exitCode);
    expect(result.stderr).toContain("error[some_code]: bad thing");
    expect(result.stderr).toContain("request id: req_1");
    expect(result.stdout).toBe("");
  });

  it("exits with 9 when nothing answers", async () => {
    const fetch = () => Promise.reject(new TypeError("fetch failed"));
    const result = await callCli(["call", "get"], { env, fetch });
    expect(result.exitCode).toBe(9);
    expect(result.stderr).toContain("npm run up");
  });

  it("says how to start a server when none is named", async () => {
    const result = await callCli(["call", "get"], { cwd: dir });
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain("npm run up");
  });

  it("never sends a token to another host that a project link names", async () => {
    await writeFile(join(dir, "x"), "");
    await mkdir(join(dir, ".berth"));
    await writeFile(
      join(dir, ".berth/project.json"),
      '{"url":"https://evil.example","org":"a","agent":"b"}',
    );
    const { fetch, seen } = answeringFetch(() => Response.json({}));
    const result = await callCli(["call", "get"], { cwd: dir, env: { BERTH_TOKEN: "t" }, fetch });
    expect(result.exitCode).toBe(2);
    expect(seen).toEqual([]);
  });
});

describe("call", () => {
  const outcome = { toolName: "get", callId: "c", isError: false, result: { t: 1 }, durationMs: 2 };
  const answer = () => answeringFetch(() => Response.json({ ok: true, ...outcome }));

  it("sends JSON from the flag, a file or stdin", async () => {
    await writeFile(join(dir, "in.json"), '{"a":2}');
    for (const [given, stdin] of [
      ['{"a":2}', ""],
      ["@in.json", ""],
      ["-", '{"a":2}'],
    ] as const) {
      const { fetch, seen } = answer();
      const args = ["call", "get", "--input", given, "--approve"];
      const { stdout } = await callCli(args, { env, fetch, cwd: dir, stdin });
      expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ input: { a: 2 }, approve: true });
      expect(JSON.parse(stdout)).toEqual({ t: 1 });
    }
  });

  it("binds a call to a session or a token, and makes it a dry run or frozen", async () => {
    const sent = async (...options: string[]) => {
      const { fetch, seen } = answer();
      await callCli(["call", "get", ...options], { env, fetch });
      return JSON.parse(seen[0]?.body ?? "");
    };
    expect(await sent("--session", "ses_1", "--dry-run")).toEqual({
      input: {},
      sessionId: "ses_1",
      dryRun: true,
    });
    const asOf = "2026-01-01T00:00:00Z";
    expect(await sent("--continuation-token", "http:k", "--as-of", asOf)).toEqual({
      input: {},
      continuationToken: "http:k",
      asOf,
    });
  });

  it("prints a stubbed result with its mark, and exits with 6 from a busy session", async () => {
    const stubbed = { ...outcome, result: "Operation acknowledged.", stubbed: true };
    const { fetch } = answeringFetch(() => Response.json({ ok: true, ...stubbed }));
    const json = await callCli(["call", "get", "--dry-run", "--json"], { env, fetch });
    expect(JSON.parse(json.stdout)).toMatchObject(stubbed);
    const busy = { ok: false, error: "session_busy", message: "The session is at work." };
    const refusing = answeringFetch(() => Response.json(busy, { status: 409 }));
    const args = ["call", "get", "--session", "ses_1"];
    const refused = await callCli(args, { env, fetch: refusing.fetch });
    expect(refused.exitCode).toBe(6);
    expect(refused.stderr).toContain("The session is at work.");
  });

  it("exits with 1 when the tool threw and 2 when the input is not JSON", async () => {
    const { fetch } = answeringFetch(() =>
      Response.json({ ...outcome, isError: true, result: "x" }),
    );
    expect((await callCli(["call", "get"], { env, fetch })).exitCode).toBe(1);
    expect((await callCli(["call", "get", "--input", "{a"], { env, fetch })).exitCode).toBe(2);
  });
});

describe("deploy", () => {
  const line = (index: number, entry: object) => ({ index, at: "2026-01-01T00:00:00Z", ...entry });
  const location = "/api/v1/orgs/acme/agents/my-bot/deployments/4";
  const deployed = { type: "deployed", version: 4, url: "http://berth.test/acme/my-bot" };

  it("uploads, goes on after a broken log, prints the URL last and links the folder", async () => {
    await writeFile(join(dir, "package.json"), '{"name":"@me/my bot"}');
    const { fetch, seen } = answeringFetch(({ method }) =>
      method === "POST"
        ? ndjson([line(0, { type: "phase", phase: "scan" })], {
            cut: true,
            status: 201,
            headers: { location },
          })
        : ndjson([line(1, { type: "log", text: "built" }), line(2, deployed)]),
    );
    const given = { BERTH_URL: "http://berth.test", BERTH_TOKEN: "t" };
    const { exitCode, stdout, stderr } = await callCli(["deploy", "--org", "acme"], {
      env: given,
      fetch,
      cwd: dir,
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `${deployed.url}\n` });
    expect(stderr).toContain("1 files");
    expect(seen.map(({ method, path, query }) => [method, path, query.get("startIndex")])).toEqual([
      ["POST", "/api/v1/orgs/acme/agents/my-bot/deployments", null],
      ["GET", `${location}/log`, "1"],
    ]);
    expect(seen[0]?.headers.get("content-type")).toBe("application/gzip");
    const link = JSON.parse(await readFile(join(dir, ".berth/project.json"), "utf8"));
    expect(link).toEqual({ org: "acme", agent: "my-bot", url: "http://berth.test" });
  });

  it("exits with 1 and shows file, line and fix when the build failed", async () => {
    await writeFile(join(dir, "a.ts"), "");
    const diagnostics = [
      {
        severity: "error",
        code: "bad_name",
        file: "bot/tools/a b.ts",
        line: 2,
        message: "no",
        fix: "rename",
      },
    ];
    const { fetch } = answeringFetch(() => ndjson([line(0, { type: "failed", diagnostics })]));
    const args = ["deploy", "--org", "acme", "--agent", "bot"];
    const result = await callCli(args, { env, fetch, cwd: dir });
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain("error[bad_name]: bot/tools/a b.ts:2: no\n  fix: rename");
  });
});
