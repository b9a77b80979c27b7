import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Product, startProduct } from "../../support/product";
import { scriptText } from "../../support/scripted-model/script";
import {
  type ScriptedModel,
  startScriptedModel,
} from "../../support/scripted-model/start-scripted-model";

const CLI = resolve("dist/cli.mjs");
const BIG = 300_000;

const PROJECT = {
  "package.json": '{ "name": "@acme/cli-agent", "private": true, "type": "module" }',
  ".env": "NEVER=sent",
  "bot/agent.ts": `import { defineAgent } from "openberth";
export default defineAgent({ model: "scripted/echo", tools: [] });`,
  "bot/instructions.md": "Answer.",
  "bot/tools/greet.ts": `import { existsSync } from "node:fs";
import { defineTool } from "openberth/tools";
export default defineTool({
  description: "Greets.",
  effect: "read",
  execute: ({ name }) => ({ hello: name, secret: process.env.GREETING?.length ?? 0, env: existsSync(".env") }),
});`,
  "bot/tools/big.ts": `import { defineTool } from "openberth/tools";
export default defineTool({ description: "Much.", effect: "read", execute: () => "x".repeat(${BIG}) });`,
  "bot/tools/fail.ts": `import { defineTool } from "openberth/tools";
export default defineTool({ description: "Fails.", execute: () => { throw new Error("no luck"); } });`,
};

let product: Product;
let model: ScriptedModel;
let dir: string;

interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the built program as a process of its own, its output on pipes. */
async function berth(args: string[], stdin = ""): Promise<Ran> {
  const child = spawn(process.execPath, [CLI, ...args, "--dir", dir], {
    env: { ...process.env, BERTH_URL: product.url, BERTH_TOKEN: product.apiKey, NO_COLOR: "1" },
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    output.stderr += text;
  });
  child.stdin.end(stdin);
  const [code] = await once(child, "close");
  return { code, ...output };
}

const deploy = () => berth(["deploy", "--org", product.org]);

beforeAll(async () => {
  model = await startScriptedModel();
  product = await startProduct({ BERTH_PRIVATE_TARGETS: `models=${new URL(model.url).host}` });
  dir = await mkdtemp(join(tmpdir(), "berth-cli-project-"));
  for (const [path, text] of Object.entries(PROJECT)) {
    await mkdir(resolve(dir, path, ".."), { recursive: true });
    await writeFile(join(dir, path), text);
  }
}, 240_000);
afterAll(async () => {
  await product?.stop();
  await model?.stop();
  if (dir) await rm(dir, { recursive: true, force: true });
}, 60_000);

describe("berth against the product", () => {
  it("inspects the project offline, deploys it and prints its URL", async () => {
    const validated = await berth(["validate", "--json"]);
    expect(JSON.parse(validated.stdout)).toMatchObject({ ok: true });
    const info = JSON.parse((await berth(["info", "--json"])).stdout);
    expect(info.tools.map(({ name }: { name: string }) => name)).toEqual(["big", "fail", "greet"]);
    const deployed = await deploy();
    expect(deployed).toMatchObject({
      code: 0,
      stdout: `${product.url}/${product.org}/cli-agent\n`,
    });
    expect(deployed.stderr).toContain("Version 1 is active");
  });

  it("answers requests that offer another protocol, after a page was served too", async () => {
    expect((await fetch(`${product.url}/login`)).status).toBe(200);
    const { host, hostname, port } = new URL(product.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
    );
    const [answer] = await once(socket, "data");
    socket.destroy();
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("calls tools, with a secret that was piped in", async () => {
    const set = await berth(["secrets", "set", "cli-agent", "GREETING"], "good morning");
    expect(set.code).toBe(0);
    expect(set.stdout).toMatch(/GREETING +1 +12 +[0-9a-f]{6}/);
    const called = await berth(["call", "greet", "--input", '{"name":"Ada"}']);
    expect(JSON.parse(called.stdout)).toEqual({ hello: "Ada", secret: 12, env: false });
    expect((await berth(["call", "fail"])).code).toBe(1);
    expect((await berth(["call", "nothing"])).code).toBe(5);
  });

  it("writes a large answer whole to a pipe and ends quietly when the reader leaves", async () => {
    const { stdout } = await berth(["call", "big", "--json"]);
    expect(JSON.parse(stdout).result).toHaveLength(BIG);
    const env = { ...process.env, BERTH_URL: product.url, BERTH_TOKEN: product.apiKey };
    const child = spawn(process.execPath, [CLI, "call", "big", "--dir", dir], { env });
    child.stdout.destroy();
    expect((await once(child, "exit"))[0]).toBe(0);
  });

  it("sets a model, runs a message, follows up, and lists the session", async () => {
    const args = [
      "models",
      "set",
      "scripted",
      "--kind",
      "openai-compatible",
      "--base-url",
      model.url,
    ];
    expect((await berth([...args, "--org", product.org], "key\n")).code).toBe(0);
    const text = scriptText(
      { calls: [{ name: "greet", input: { name: "Bo" } }] },
      { text: "Hello Bo" },
    );
    const run = JSON.parse((await berth(["run", text, "--json"])).stdout);
    expect(run).toMatchObject({ status: "finished", reply: "Hello Bo" });
    expect(run.toolCalls).toMatchObject([
      { toolName: "greet", input: { name: "Bo" }, isError: false },
    ]);
    expect(run.usage.outputTokens).toBeGreaterThan(0);
    const again = await berth(["run", "again", "--session", run.sessionId]);
    expect(again).toMatchObject({ code: 0, stdout: "You said: again\n" });
    const sessions = JSON.parse((await berth(["sessions", "list", "--json"])).stdout);
    expect(sessions.sessions[0].sessionId).toBe(run.sessionId);
  });

  it("stops a turn that takes too long and exits with 8", async () => {
    const slow = scriptText({ text: "word ".repeat(600), delayMs: 100 });
    const { code } = await berth(["run", slow, "--timeout", "500ms"]);
    expect(code).toBe(8);
  });

  it("shows what is wrong with a project that does not build", async () => {
    await writeFile(join(dir, "bot/tools/broken.ts"), "export default 5;\n");
    const failed = await deploy();
    await rm(join(dir, "bot/tools/broken.ts"));
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(/error\[\w+\]: bot\/tools\/broken\.ts/);
  });

  it("says that a model's address is private, and who can open it", async () => {
    const args = [
      "--kind",
      "openai-compatible",
      "--base-url",
      "http://127.0.0.1:11434/v1",
      "--no-key",
    ];
    const org = ["--org", product.org];
    expect((await berth(["models", "set", "scripted", ...args, ...org])).code).toBe(0);
    const { code, stderr } = await berth(["run", "Hello"]);
    expect(code).toBe(1);
    expect(stderr).toContain("error[model_error]: scripted/echo failed: 127.0.0.1 is not a public");
    expect(stderr).toContain("BERTH_PRIVATE_TARGETS=models=");
  });

  it("says who is asking, and refuses a token that is none", async () => {
    const me = JSON.parse((await berth(["whoami", "--json"])).stdout);
    expect(me.orgs.map(({ slug }: { slug: string }) => slug)).toContain(product.org);
    const refused = await berth(["whoami", "--token-stdin"], "bth_no_no");
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain("error[unauthenticated]");
  });
});
