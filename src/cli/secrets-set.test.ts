import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answeringFetch, type SeenRequest } from "../../tests/support/answering-fetch";
import { callCli } from "../../tests/support/cli-io";

const ENV = { BERTH_URL: "http://berth.test", BERTH_TOKEN: "bth_a_b", BERTH_ORG: "acme" };
const SET = ["secrets", "set", "weather"];
// A key-shaped text in the source would be one more thing for scanners to find.
const PEM_HEAD = ["-----BEGIN ", "PRIVATE KEY-----"].join("");
const PEM = `${PEM_HEAD}\n${"Zm9vYmFy".repeat(200)}\n-----END PRIVATE KEY-----\n`;

function server() {
  return answeringFetch(({ body }: SeenRequest) => {
    const { secrets } = JSON.parse(body) as { secrets: Record<string, string> };
    const receipts = Object.entries(secrets).map(([name, value]) => ({
      name,
      version: 3,
      length: Buffer.byteLength(value),
      fingerprint: "a1b2c3",
    }));
    return Response.json({ ok: true, secrets: receipts });
  });
}

async function set(args: string[], call: Parameters<typeof callCli>[1] = {}) {
  const { fetch, seen } = server();
  const result = await callCli([...SET, ...args], { env: ENV, fetch, ...call });
  const stored = seen.map(({ body }) => (JSON.parse(body) as { secrets: object }).secrets);
  return { ...result, stored, seen };
}

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "berth-secrets-"));
  await writeFile(join(dir, "key.pem"), PEM);
  await writeFile(join(dir, "app.env"), 'A=one\nB="two words"\n');
  await writeFile(join(dir, "holes.env"), "A=one\nB=\n");
});
afterAll(() => rm(dir, { recursive: true }));

describe("secrets set", () => {
  it("stores exactly what is piped, to the end of the stream", async () => {
    const long = "x".repeat(60_000);
    expect((await set(["A"], { stdin: "v" })).stored).toEqual([{ A: "v" }]);
    expect((await set(["A"], { stdin: long })).stored).toEqual([{ A: long }]);
  });

  it.each(["", "\n"])("refuses an empty stdin (%j) and stores nothing", async (stdin) => {
    const { exitCode, stored } = await set(["A"], { stdin });
    expect(exitCode).toBe(2);
    expect(stored).toEqual([]);
  });

  it("keeps a PEM byte for byte, piped or from a file", async () => {
    expect((await set(["KEY"], { stdin: PEM })).stored).toEqual([{ KEY: PEM }]);
    const file = await set(["--from-file", "KEY=key.pem"], { cwd: dir });
    expect(file.stored).toEqual([{ KEY: PEM }]);
  });

  it("strips one final line feed of one line and says so; --raw keeps it", async () => {
    const stripped = await set(["A"], { stdin: "v\n" });
    expect(stripped.stored).toEqual([{ A: "v" }]);
    expect(stripped.stderr).toContain("line feed");
    expect((await set(["A", "--raw"], { stdin: "v\n" })).stored).toEqual([{ A: "v\n" }]);
    expect((await set(["A"], { stdin: "a\nb\n" })).stored).toEqual([{ A: "a\nb\n" }]);
  });

  it("reads no prompt from a pipe: several names need a file", async () => {
    const { exitCode, stored } = await set(["A", "B"], { stdin: "y\nv\n" });
    expect(exitCode).toBe(2);
    expect(stored).toEqual([]);
  });

  it("asks on a terminal without echo and shows the value nowhere", async () => {
    const { stored, stdout, stderr, echo, exitCode } = await set(["A", "B"], {
      keys: ["s3cre\u007fet\r", "\u001b[200~other\u001b[201~\r"],
    });
    expect(exitCode).toBe(0);
    expect(stored).toEqual([{ A: "s3cret", B: "other" }]);
    expect(`${stdout}${stderr}`).not.toMatch(/s3cr|other/);
    expect(echo).toEqual([false, true, false, true]);
  });

  it("stops at Ctrl-C with the terminal as it was", async () => {
    const { exitCode, stored, echo } = await set(["A"], { keys: ["abc\u0003"] });
    expect(exitCode).toBe(130);
    expect(stored).toEqual([]);
    expect(echo.at(-1)).toBe(true);
  });

  it("refuses NAME=VALUE, shows the stdin form and does not repeat the value", async () => {
    const { exitCode, stderr, stored } = await set(["A=hunter2"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("printf %s");
    expect(stderr).not.toContain("hunter2");
    expect(stored).toEqual([]);
  });

  it("prints name, version, length and fingerprint", async () => {
    const { stdout } = await set(["A"], { stdin: "value" });
    expect(stdout).toMatch(/A +3 +5 +a1b2c3/);
    const json = await set(["A", "--json"], { stdin: "value" });
    expect(JSON.parse(json.stdout).secrets).toEqual([
      { name: "A", version: 3, length: 5, fingerprint: "a1b2c3" },
    ]);
  });

  it("takes an env file and the environment, printing names only", async () => {
    const file = await set(["--env-file", "app.env"], { cwd: dir });
    expect(file.stored).toEqual([{ A: "one", B: "two words" }]);
    expect(`${file.stdout}${file.stderr}`).not.toContain("two words");
    const env = { ...ENV, TOKEN: "from-env" };
    expect((await set(["--from-env", "TOKEN"], { env })).stored).toEqual([{ TOKEN: "from-env" }]);
  });

  it("warns of white space and quotes and keeps them", async () => {
    const spaces = await set(["A"], { stdin: " v" });
    expect(spaces.stderr).toContain("white space");
    expect(spaces.stored).toEqual([{ A: " v" }]);
    expect((await set(["A"], { stdin: '"v"' })).stderr).toContain("quotes");
  });

  it("sets several at once or none", async () => {
    const whole = await set(["--env-file", "app.env", "--from-file", "KEY=key.pem"], { cwd: dir });
    expect(whole.seen).toHaveLength(1);
    const holes = await set(["--env-file", "holes.env"], { cwd: dir });
    expect(holes.exitCode).toBe(2);
    expect(holes.seen).toHaveLength(0);
  });

  it("refuses what is no UTF-8 text", async () => {
    const { exitCode, stored } = await set(["A"], { stdin: Buffer.from([0xff, 0xfe, 0x00]) });
    expect(exitCode).toBe(2);
    expect(stored).toEqual([]);
  });
});
