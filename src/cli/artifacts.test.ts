import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answeringFetch } from "../../tests/support/answering-fetch";
import { callCli } from "../../tests/support/cli-io";

const env = { BERTH_URL: "http://berth.test/acme/weather", BERTH_TOKEN: "bth_a_b" };
const record = {
  id: "art_1",
  kind: "report",
  key: "week\u001b[31m",
  version: 2,
  title: "Week",
  contentType: "text/plain",
  size: 3,
  sha256: "aa",
  sessionId: "ses_1",
  createdAt: "2026-01-01T00:00:00Z",
  expiresAt: null,
};

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "berth-cli-artifacts-"));
});
afterEach(() => rm(cwd, { recursive: true }));

const contents = (name: string, body: BodyInit = new Uint8Array([0, 255, 10])) =>
  answeringFetch(
    () =>
      new Response(body, {
        headers: { "content-disposition": `attachment; filename="x"; filename*=UTF-8''${name}` },
      }),
  );

const download = (fetch: typeof globalThis.fetch, ...args: string[]) =>
  callCli(["artifacts", "download", "art_1", ...args], { env, fetch, cwd });

describe("artifacts", () => {
  it("lists them, filtered, and makes foreign text plain", async () => {
    const server = answeringFetch(() =>
      Response.json({ ok: true, artifacts: [record], nextCursor: "art_0" }),
    );
    const ran = await callCli(
      ["artifacts", "list", "--kind", "report", "--session", "ses_1", "--limit", "1"],
      { env, fetch: server.fetch, cwd },
    );
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toContain("art_1");
    expect(ran.stdout).not.toContain("\u001b");
    expect(ran.stderr).toContain("--cursor art_0");
    const [seen] = server.seen;
    expect(seen?.path).toBe("/acme/weather/v1/artifacts");
    expect(Object.fromEntries(seen?.query ?? [])).toEqual({
      kind: "report",
      session: "ses_1",
      limit: "1",
    });
  });

  it("lists them when nothing else is asked for", async () => {
    const { fetch, seen } = answeringFetch(() =>
      Response.json({ ok: true, artifacts: [record], nextCursor: null }),
    );
    const ran = await callCli(["artifacts"], { env, fetch, cwd });
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toContain("art_1");
    expect(seen).toHaveLength(1);
  });

  it("gets one as JSON", async () => {
    const { fetch } = answeringFetch(() => Response.json({ ok: true, ...record, data: [1] }));
    const ran = await callCli(["artifacts", "get", "art_1"], { env, fetch, cwd });
    expect(JSON.parse(ran.stdout)).toMatchObject({ id: "art_1", data: [1] });
  });

  it("downloads to the name that the server gives it, and never over a file", async () => {
    const { fetch } = contents("Caf%C3%A9.txt");
    const ran = await download(fetch);
    expect([ran.exitCode, ran.stdout]).toEqual([0, ""]);
    expect(await readFile(join(cwd, "Caf\u00e9.txt"))).toEqual(Buffer.from([0, 255, 10]));
    const again = await download(fetch);
    expect(again.exitCode).toBe(2);
    expect(again.stderr).toContain("--force");
    expect((await download(fetch, "--force")).exitCode).toBe(0);
  });

  it.each(["..%2F..%2Fetc%2Fpasswd", "..%5C..%5Cpasswd", "%2Ftmp%2Fpasswd"])(
    "stays in its folder for the name %s",
    async (name) => {
      expect((await download(contents(name).fetch)).exitCode).toBe(0);
      expect(await readdir(cwd)).toEqual(["passwd"]);
    },
  );

  it("has a name for an answer without one", async () => {
    expect((await download(contents("..").fetch)).exitCode).toBe(0);
    expect(await readdir(cwd)).toEqual(["artifact"]);
  });

  it("writes where it is told, stdout too", async () => {
    await writeFile(join(cwd, "there"), "old");
    const { fetch } = contents("a", "text");
    const ran = await download(fetch, "-o", "here", "--json");
    expect(JSON.parse(ran.stdout)).toEqual({ file: "here", bytes: 4 });
    const piped = await download(fetch, "-o", "-");
    expect([piped.stdout, piped.stderr]).toEqual(["text", ""]);
    expect((await readdir(cwd)).sort()).toEqual(["here", "there"]);
  });

  it("leaves nothing of a download that breaks", async () => {
    const broken = new ReadableStream({
      start: (out) => out.enqueue(new Uint8Array([1])),
      pull: (out) => out.error(new Error("cut")),
    });
    expect((await download(contents("half", broken).fetch)).exitCode).toBe(9);
    expect(await readdir(cwd)).toEqual([]);
  });
});
