import { appendFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { infoOf, inspectProject } from "../../../src/project";
import { createQueueBackend, provideQueue } from "../../../src/server/jobs";
import { provideInvoke } from "../../../src/server/sandbox";
import { setSecrets } from "../../../src/server/secrets";
import { type BuildFarm, packFolder, startBuildFarm } from "../../support/build-farm";
import { type SeededAgent, seedAgent } from "../../support/seed-agent";
import { bearerFor, send } from "../../support/test-api";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

let state: string;
let berth: TestPlatform;
let farm: BuildFarm;
let seeded: SeededAgent;
let headers: { authorization: string };

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), "berth-state-"));
  berth = await startTestPlatform({ BERTH_STATE_DIR: state });
  seeded = await seedAgent(berth);
  headers = await bearerFor(seeded, { permissions: [...seeded.ctx.permissions] });
  farm = await startBuildFarm();
  farm.builder.start();
  provideInvoke(farm.sandboxes.invoke.bind(farm.sandboxes));
}, 120_000);
afterAll(async () => {
  provideInvoke(undefined);
  await farm.close();
  await berth.stop();
  await rm(state, { recursive: true });
});

async function writeProject(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "berth-project-"));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

async function pack(files: Record<string, string>) {
  const folder = await writeProject(files);
  const packed = await packFolder(folder);
  await rm(folder, { recursive: true });
  return packed;
}

const PROJECT = {
  "package.json": '{ "name": "greeter", "private": true }',
  "bot/instructions.md": "Be brief.",
  "bot/agent.ts": `import { defineAgent } from "@cursor/bdk";
export default defineAgent({ name: "Greeter", hosting: { secretNames: ["NEVER_SET"] } });`,
  "bot/tools/greet.ts": `import { defineTool } from "@cursor/bdk/tools";
import { z } from "zod";
export default defineTool({
  description: "Greets.",
  effect: "read",
  inputSchema: z.object({ name: z.string() }),
  execute: ({ name }) => ({ greeting: "Hello " + name, token: process.env.GREETER_TOKEN }),
});`,
  "bot/tools/fails.ts": `import { defineTool } from "@cursor/bdk/tools";
export default defineTool({ description: "Throws.", execute() { throw new Error("no: " + process.env.GREETER_TOKEN); } });`,
  "bot/tools/gated.ts": `import { defineTool } from "@cursor/bdk/tools";
export default defineTool({ description: "Gated.", needsApproval: true, execute: () => "done" });`,
};

const path = (agent: string) => `/api/v1/orgs/${seeded.orgId}/agents/${agent}/deployments`;

async function deploy(agent: string, body: Uint8Array<ArrayBuffer>, query = "") {
  const answer = await send("POST", path(agent) + query, {
    body,
    headers: { ...headers, "content-type": "application/gzip" },
  });
  if (answer.status !== 201) return { ...answer, lines: [], last: undefined };
  const lines = answer.body
    .trim()
    .split("\n")
    .map((line: string) => JSON.parse(line));
  return { ...answer, lines, last: lines.at(-1) };
}

const call = (agent: string, tool: string, json: object, credentials = headers) =>
  send("POST", `/${seeded.orgId}/${agent}/v1/tools/${tool}`, { json, headers: credentials });

describe("a project", () => {
  test("is built, described and active, and makes its agent", async () => {
    const { status, headers: answered, lines, last } = await deploy("greeter", await pack(PROJECT));
    expect(status).toBe(201);
    expect(answered.get("location")).toBe(`${path("greeter")}/1`);
    expect(lines.map((line: { index: number }) => line.index)).toEqual(
      lines.map((_: unknown, index: number) => index),
    );
    const phases = lines.flatMap((line: { phase?: string }) => line.phase ?? []);
    expect(last, JSON.stringify(lines, null, 1)).toMatchObject({
      type: "deployed",
      version: 1,
      url: `http://127.0.0.1:3000/${seeded.orgId}/greeter`,
    });
    expect(phases).toEqual(["extract", "scan", "bundle", "describe", "activate"]);
    expect(lines).toContainEqual(
      expect.objectContaining({
        type: "diagnostic",
        diagnostic: expect.objectContaining({
          severity: "warning",
          code: "secret_missing",
          fix: "berth secrets set greeter NEVER_SET",
        }),
      }),
    );
    const version = await send("GET", `${path("greeter")}/1`, { headers });
    expect(version.body).toMatchObject({ version: 1, status: "ready", active: true });
    expect(version.body.manifest.tools.map((tool: { name: string }) => tool.name).sort()).toEqual([
      "fails",
      "gated",
      "greet",
    ]);
  }, 60_000);

  test("runs its tools, with its secrets and never showing them", async () => {
    const [{ id: agentId }] = (await berth.sql<{ id: string }>(
      "SELECT id FROM agent WHERE org_id = $1 AND slug = 'greeter'",
      [seeded.orgId],
    )) as [{ id: string }];
    await setSecrets(seeded.ctx, { agentId, secrets: { GREETER_TOKEN: "hunter2-hunter2" } });
    const greeted = await call("greeter", "greet", { input: { name: "Ada" } });
    expect(greeted).toMatchObject({
      status: 200,
      body: {
        ok: true,
        toolName: "greet",
        callId: expect.stringMatching(/^call_/),
        isError: false,
        result: { greeting: "Hello Ada", token: "[secret:GREETER_TOKEN]" },
        durationMs: expect.any(Number),
      },
    });
    expect(greeted.headers.get("content-security-policy")).toBe("sandbox");
    const failed = await call("greeter", "fails", { input: {} });
    expect(failed.body).toMatchObject({ isError: true, result: "no: [secret:GREETER_TOKEN]" });
    const wrong = await call("greeter", "greet", { input: { name: 7 } });
    expect(wrong).toMatchObject({
      status: 400,
      body: { error: "invalid_tool_input", issues: [{ path: "name" }] },
    });
    const [audit] = await berth.sql<{ n: number }>(
      "SELECT count(*)::int AS n FROM audit_entry WHERE action = 'tool.call' AND entity_id = $1",
      [agentId],
    );
    expect(audit!.n).toBe(3);
  }, 60_000);

  test("a gated tool needs a person's yes", async () => {
    expect(await call("greeter", "gated", { input: {} })).toMatchObject({
      status: 409,
      body: { error: "approval_required" },
    });
    const approved = await call("greeter", "gated", { input: {}, approve: true });
    expect(approved.body).toMatchObject({ isError: false, result: "done" });
    const weak = await bearerFor(seeded, { permissions: ["tools:call"] });
    expect(await call("greeter", "gated", { input: {}, approve: true }, weak)).toMatchObject({
      status: 403,
      body: { error: "forbidden", permission: "approvals:decide" },
    });
  });

  test("shows what it offers", async () => {
    const base = `/${seeded.orgId}/greeter/v1`;
    const info = await send("GET", `${base}/info`, { headers });
    expect(info.body).toMatchObject({ ok: true, version: 1, agent: { name: "Greeter" } });
    const tools = await send("GET", `${base}/tools`, { headers });
    const greet = tools.body.tools.find((tool: { name: string }) => tool.name === "greet");
    expect(greet).toMatchObject({ description: "Greets.", effect: "read", execution: "server" });
    expect(greet.inputSchema.properties.name).toEqual({ type: "string" });
    const unknown = await call("greeter", "nothing", { input: {} });
    expect(unknown).toMatchObject({
      status: 404,
      body: { error: "unknown_tool", tools: expect.arrayContaining(["greet", "fails"]) },
    });
  });

  test("offers deployed what it offers offline", async () => {
    const folder = await writeProject(PROJECT);
    const { manifest } = await inspectProject(folder, {
      toolchain: { sdkDir: join(farm.root, "dist/sdk"), modulesDir: farm.root },
      runtime: join(farm.root, "dist/runtime/main.cjs"),
      env: {},
    });
    await rm(folder, { recursive: true });
    const info = await send("GET", `/${seeded.orgId}/greeter/v1/info`, { headers });
    const offline = JSON.parse(JSON.stringify(infoOf(manifest!)));
    const { ok, version, org, slug, url, ...offered } = info.body;
    expect({ ok, version, org, slug }).toEqual({
      ok: true,
      version: 1,
      org: seeded.orgId,
      slug: "greeter",
    });
    expect(url).toBe(`http://127.0.0.1:3000/${seeded.orgId}/greeter`);
    expect(offered).toEqual(offline);
  }, 60_000);

  test("is queued as a job once it is kept", async () => {
    const { env, log } = berth.platform;
    const queue = createQueueBackend({ databaseUrl: env.DATABASE_URL, redis: undefined, log });
    try {
      const job = new Promise((resolve, reject) => {
        queue.work({ "deployment.build": async (payload) => resolve(payload) }).catch(reject);
      });
      provideQueue(queue);
      const { last } = await deploy("queued", await pack(PROJECT));
      expect(last).toMatchObject({ type: "deployed", version: 1 });
      const [agent] = await berth.sql<{ id: string }>(
        "SELECT id FROM agent WHERE org_id = $1 AND slug = 'queued'",
        [seeded.orgId],
      );
      expect(await job).toEqual({ orgId: seeded.orgId, agentId: agent!.id, version: 1 });
    } finally {
      provideQueue(undefined);
      await queue.close();
    }
  }, 60_000);

  test("that was built before is not built again", async () => {
    const { lines, last } = await deploy("again", await pack(PROJECT), "?activate=false");
    expect(last).toMatchObject({ type: "deployed", version: 1 });
    const phases = lines.flatMap((line: { phase?: string }) => line.phase ?? []);
    expect(phases).toEqual(["describe"]);
    const listed = await send("GET", path("again"), { headers });
    expect(listed.body).toMatchObject({
      deployments: [{ version: 1, status: "ready", active: false }],
      nextCursor: null,
    });
    expect(await call("again", "greet", { input: { name: "x" } })).toMatchObject({
      status: 409,
      body: { error: "agent_not_deployed" },
    });
    const activated = await send("POST", `${path("again")}/1/activate`, { headers });
    expect(activated).toMatchObject({ status: 200, body: { version: 1, previous: null } });
    expect((await call("again", "greet", { input: { name: "x" } })).status).toBe(200);
  }, 60_000);

  test("that was built before is built again by newer programs, once", async () => {
    await appendFile(join(farm.root, "dist/build.mjs"), "\n// a later release\n");
    const upgraded = await deploy("again", await pack(PROJECT));
    expect(upgraded.last).toMatchObject({ type: "deployed", version: 2 });
    expect(upgraded.lines).toContainEqual(expect.objectContaining({ phase: "bundle" }));
    const repeated = await deploy("again", await pack(PROJECT));
    expect(repeated.last).toMatchObject({ type: "deployed", version: 3 });
    expect(repeated.lines).not.toContainEqual(expect.objectContaining({ phase: "bundle" }));
  }, 60_000);
});

describe("what is wrong", () => {
  test("in the project comes with file and line, and counts as a version", async () => {
    const broken = { ...PROJECT, "bot/tools/greet.ts": "export default {\n  description: }\n" };
    const { last } = await deploy("broken", await pack(broken));
    expect(last.type).toBe("failed");
    expect(last.diagnostics).toContainEqual(
      expect.objectContaining({ severity: "error", file: "bot/tools/greet.ts", line: 2 }),
    );
    const version = await send("GET", `${path("broken")}/1`, { headers });
    expect(version.body).toMatchObject({ status: "failed", active: false, manifest: null });
    expect((await deploy("broken", await pack(PROJECT))).last).toMatchObject({ version: 2 });
    const refused = await send("POST", `${path("broken")}/1/activate`, { headers });
    expect(refused).toMatchObject({ status: 409, body: { code: "version_not_ready" } });
  }, 60_000);

  test("in loading it names the variable that is missing", async () => {
    const needs = {
      ...PROJECT,
      "bot/tools/needs.ts": `const key = process.env.SOME_KEY;
if (!key) throw new Error("SOME_KEY is not set");
export default { description: "x", execute: () => 1 };`,
    };
    const { last } = await deploy("needs", await pack(needs));
    expect(last.diagnostics).toContainEqual(
      expect.objectContaining({ file: "bot/tools/needs.ts", code: "secret_missing_at_load" }),
    );
  }, 60_000);

  test("in the archive names its entry", async () => {
    const { last } = await deploy(
      "attack",
      new Uint8Array(gzipSync(Buffer.from("z".repeat(2000)))),
    );
    expect(last).toMatchObject({
      type: "failed",
      diagnostics: [{ severity: "error", code: "invalid_archive" }],
    });
  });

  test("in the upload is refused before anything is kept", async () => {
    const small = new Uint8Array([1, 2, 3]);
    const slug = await deploy("not--a-slug", small);
    expect(slug).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    const large = await deploy("large", new Uint8Array(25 * 1024 * 1024 + 1));
    expect(large).toMatchObject({ status: 413, body: { code: "body_too_large" } });
    const type = await send("POST", path("typed"), { body: small, headers });
    expect(type).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
    const reader = await bearerFor(seeded, { permissions: ["deployments:read"] });
    const weak = await send("POST", path("weak"), {
      body: small,
      headers: { ...reader, "content-type": "application/gzip" },
    });
    expect(weak).toMatchObject({ status: 403, body: { code: "forbidden" } });
    const agents = await berth.sql(
      "SELECT slug FROM agent WHERE org_id = $1 AND slug IN ('not--a-slug', 'large', 'typed', 'weak')",
      [seeded.orgId],
    );
    expect(agents).toEqual([]);
  });
});

describe("the log", () => {
  test("is read again from any line, and ends with its last", async () => {
    const all = await send("GET", `${path("greeter")}/1/log`, { headers });
    const lines = all.body.trim().split("\n");
    const rest = await send("GET", `${path("greeter")}/1/log?startIndex=2`, { headers });
    expect(rest.body.trim().split("\n")).toEqual(lines.slice(2));
    expect(JSON.parse(lines.at(-1)).type).toBe("deployed");
  });
});

test("a build whose worker died is taken over, and given up after the third", async () => {
  await berth.sql(
    `UPDATE deployment SET status = 'building', attempt = 3, lease_until = now() - interval '1 s'
     WHERE org_id = $1 AND version = 2 AND agent_id = (SELECT id FROM agent WHERE org_id = $1 AND slug = 'broken')`,
    [seeded.orgId],
  );
  const log = await send("GET", `${path("broken")}/2/log?startIndex=1000`, { headers });
  expect(log.body).toBe("");
  const version = await send("GET", `${path("broken")}/2`, { headers });
  expect(version.body).toMatchObject({
    status: "failed",
    diagnostics: [{ code: "build_abandoned" }],
  });
}, 20_000);
