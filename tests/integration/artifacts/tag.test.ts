import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { SessionEvent } from "../../../src/protocol/event";
import type { RuntimeCall } from "../../../src/protocol/runtime-rpc";
import {
  getArtifact,
  keepOverflow,
  listArtifacts,
  openArtifact,
  sweepArtifacts,
} from "../../../src/server/artifacts";
import { openBlob } from "../../../src/server/blobs";
import { newId } from "../../../src/server/platform/id";
import { answerHostCall } from "../../../src/server/runner";
import { setSecrets } from "../../../src/server/secrets";
import { createSession } from "../../../src/server/turns";
import { manifestWith, type SeededAgent, seedAgent } from "../../support/seed-agent";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";
import { eventsUntil } from "../../support/turn-harness";

const MIB = 1024 * 1024;

let state: string;
let berth: TestPlatform;
let agent: SeededAgent;
let sessionId: string;
let callId: string;

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), "berth-artifacts-"));
  berth = await startTestPlatform({ BERTH_STATE_DIR: state });
});
afterAll(async () => {
  await berth.stop();
  await rm(state, { recursive: true, force: true });
});

async function enter(seeded: SeededAgent): Promise<void> {
  agent = seeded;
  callId = newId("call");
  const sent = await createSession(agent.ctx, { agentId: agent.agentId, message: "hi" });
  sessionId = sent.sessionId;
}
beforeEach(async () => enter(await seedAgent(berth)));

const toolCall = (session = sessionId, call = callId): RuntimeCall => ({
  kind: "tool",
  name: "t",
  input: {},
  approved: true,
  scope: {
    toolCallId: call,
    workspace: session,
    session: {
      id: session,
      channel: "http",
      mode: "chat",
      auth: { principal: "service:x" },
      dryRun: false,
    },
  },
});

const ask = (
  method: string,
  params: unknown,
  { by = agent, during = toolCall() }: { by?: SeededAgent; during?: RuntimeCall | undefined } = {},
) =>
  answerHostCall({
    method,
    params,
    ref: { orgId: by.orgId, agentId: by.agentId, version: 1 },
    during,
  });

const tag = (artifact: object, options: Parameters<typeof ask>[2] = {}) =>
  ask("artifacts.tag", artifact, options) as Promise<{ id: string; version: number }>;

const base64 = (text: string | Buffer) => Buffer.from(text as string).toString("base64");

async function contentsOf(id: string): Promise<Buffer> {
  const opened = await openArtifact(agent.ctx, { agentId: agent.agentId, id });
  const chunks: Buffer[] = [];
  for await (const chunk of await opened.open()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const record = (id: string) => getArtifact(agent.ctx, { agentId: agent.agentId, id });

const isTagged = (event: SessionEvent) => event.type === "artifact.tagged";
const firstTagged = async () => {
  const events = await eventsUntil(agent.orgId, sessionId, isTagged);
  return events.at(-1);
};

describe("a tagged artifact", () => {
  test("keeps what it was given, and the session's log says so", async () => {
    const data = { rows: 3, odd: "nul \u0000 lone \ud800" };
    const { id, version } = await tag({
      kind: "report",
      key: "week 1",
      title: "Week one",
      data,
      contentType: "text/markdown; charset=utf-8",
      base64: base64("# One"),
    });
    expect(version).toBe(1);
    expect(await record(id)).toMatchObject({
      id,
      kind: "report",
      key: "week 1",
      version: 1,
      title: "Week one",
      data,
      contentType: "text/markdown; charset=utf-8",
      size: 5,
      sessionId,
      callId,
      expiresAt: null,
    });
    expect((await contentsOf(id)).toString()).toBe("# One");
    const event = await firstTagged();
    expect(event).toMatchObject({
      data: { artifactId: id, kind: "report", key: "week 1", title: "Week one" },
    });
    // Its call is of no turn that runs.
    expect(event?.turnId).toBeUndefined();
  });

  test("belongs to the turn that its call runs in", async () => {
    const [turn] = await berth.sql<{ id: string }>(
      "UPDATE turn SET status = 'running', epoch = 7 WHERE session_id = $1 RETURNING id",
      [sessionId],
    );
    const held = toolCall();
    if (held.kind !== "tool") throw new Error("not a call of a tool");
    const during = { ...held, scope: { ...held.scope, epoch: 7 } };
    const direct = await tag({ kind: "k", key: "direct" }, { during });
    expect(await record(direct.id)).toMatchObject({ turnId: turn!.id });
    expect(await firstTagged()).toMatchObject({ turnId: turn!.id });
    await berth.sql(
      `INSERT INTO tool_call (org_id, turn_id, call_id, session_id, step, tool_name, input, attempt)
       VALUES ($1, $2, $3, $4, 0, 't', '{}', 1)`,
      [agent.orgId, turn!.id, callId, sessionId],
    );
    const asked = await tag({ kind: "k", key: "asked" });
    expect(await record(asked.id)).toMatchObject({ turnId: turn!.id });
    const beside = await tag(
      { kind: "k", key: "beside" },
      { during: toolCall(sessionId, "call_x") },
    );
    expect(await record(beside.id)).toMatchObject({ turnId: null });
  });

  test("has its key for a title, and types that follow from its bytes", async () => {
    const text = await tag({ kind: "k", key: "a", base64: base64("text") });
    const bytes = await tag({ kind: "k", key: "b", base64: base64(Buffer.from([0xff, 0])) });
    const data = await tag({ kind: "k", key: "c", data: [1] });
    expect(await record(text.id)).toMatchObject({
      title: "a",
      contentType: "text/plain; charset=utf-8",
    });
    expect(await record(bytes.id)).toMatchObject({ contentType: "application/octet-stream" });
    expect(await record(data.id)).toMatchObject({ contentType: null, size: 0, sha256: null });
    expect(JSON.parse((await contentsOf(data.id)).toString())).toEqual([1]);
  });

  test("is a new version of its kind and key in the agent, from whichever session", async () => {
    const versions = await Promise.all(
      Array.from({ length: 8 }, () => tag({ kind: "k", key: "same", data: 1 })),
    );
    expect(versions.map(({ version }) => version).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect((await tag({ kind: "other", key: "same" })).version).toBe(1);
    await enter(agent);
    expect((await tag({ kind: "k", key: "same" })).version).toBe(9);
    const { artifacts } = await listArtifacts(agent.ctx, { agentId: agent.agentId, kind: "k" });
    expect(artifacts.map(({ version }) => version)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  test("loses the values of secrets wherever they are", async () => {
    const secret = "hunter2-hunter2";
    await enter(await seedAgent(berth, manifestWith({ secretNames: ["PASSWORD"] })));
    const { agentId } = agent;
    await setSecrets(agent.ctx, { agentId, secrets: { PASSWORD: secret } });
    const { id } = await tag({
      kind: "k",
      key: `key ${secret}`,
      title: `title ${secret}`,
      data: { [secret]: [secret] },
      base64: base64(`${"x".repeat(70_000)}${secret}\u00e9`),
    });
    const kept = JSON.stringify([await record(id), await firstTagged()]);
    expect(kept).not.toContain(secret);
    expect(kept).toContain("key [secret:PASSWORD]");
    expect((await contentsOf(id)).toString()).toBe(`${"x".repeat(70_000)}[secret:PASSWORD]\u00e9`);
  });
});

describe("limits", () => {
  const refused = (code: string) => ({ code });

  test.each([
    ["a kind of 128 bytes", { kind: "k".repeat(128) }, { kind: "k".repeat(129) }],
    ["a key of 512 bytes", { key: "\u00e9".repeat(256) }, { key: `${"\u00e9".repeat(256)}x` }],
    ["a title of 500 characters", { title: "t".repeat(500) }, { title: "t".repeat(501) }],
    ["1 MiB of data", { data: "d".repeat(MIB - 2) }, { data: "d".repeat(MIB - 1) }],
    ["a media type", { contentType: 'a/b; c="d e"' }, { contentType: "a/b\r\nx: y" }],
    ["base64", { base64: "AA==" }, { base64: "A" }],
  ])("%s fits, and more does not", async (_, fits, more) => {
    await tag({ kind: "k", key: "k", ...fits });
    await expect(tag({ kind: "k", key: "k", ...more })).rejects.toMatchObject(
      refused("invalid_request"),
    );
  });

  test("64 MiB of contents come in parts, and one byte more does not fit", async () => {
    const part = base64(Buffer.alloc(4 * MIB, 0xfe));
    const begin = async () => {
      const { upload } = (await ask("artifacts.begin", {})) as { upload: string };
      for (let i = 0; i < 16; i++) await ask("artifacts.part", { upload, base64: part });
      return upload;
    };
    const { id } = await tag({ kind: "k", key: "big", upload: await begin() });
    expect(await record(id)).toMatchObject({ size: 64 * MIB });
    const full = await begin();
    await expect(ask("artifacts.part", { upload: full, base64: "AA==" })).rejects.toMatchObject(
      refused("body_too_large"),
    );
    await expect(tag({ kind: "k", key: "big", upload: full })).rejects.toMatchObject(
      refused("not_found"),
    );
  });

  test("parts make one text, cut wherever they were, and leave no file behind", async () => {
    const { upload } = (await ask("artifacts.begin", {})) as { upload: string };
    const bytes = Buffer.from("caf\u00e9 \u{1f980}!");
    for (const byte of bytes) {
      await ask("artifacts.part", { upload, base64: base64(Buffer.from([byte])) });
    }
    const { id } = await tag({ kind: "k", key: "crab", upload });
    expect((await contentsOf(id)).equals(bytes)).toBe(true);
    expect(await record(id)).toMatchObject({ contentType: "text/plain; charset=utf-8" });
    expect(await readdir(join(state, "uploads"))).toEqual([]);
  });

  test("an upload is its agent's own, and 16 may be open", async () => {
    const other = await seedAgent(berth);
    const ids: string[] = [];
    for (let i = 0; i < 16; i++) {
      ids.push(((await ask("artifacts.begin", {})) as { upload: string }).upload);
    }
    await expect(ask("artifacts.begin", {})).rejects.toMatchObject(refused("rate_limited"));
    await expect(
      ask("artifacts.part", { upload: ids[0], base64: "" }, { by: other }),
    ).rejects.toMatchObject(refused("not_found"));
    await ask("artifacts.begin", {}, { by: other });
    for (const upload of ids) await tag({ kind: "k", key: "k", upload });
    await ask("artifacts.begin", {});
  });
});

describe("whose artifact it is", () => {
  test("comes from the running call, whatever the guest says", async () => {
    const other = await seedAgent(berth);
    const { id } = await tag({
      kind: "k",
      key: "k",
      orgId: other.orgId,
      agentId: other.agentId,
      sessionId: "ses_other",
    });
    expect(await record(id)).toMatchObject({ sessionId });
    const list = await listArtifacts(other.ctx, { agentId: other.agentId });
    expect(list.artifacts).toEqual([]);
    await expect(getArtifact(other.ctx, { agentId: other.agentId, id })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test("outside a call there is none", async () => {
    const describe: RuntimeCall = { kind: "describe" };
    for (const during of [describe]) {
      await expect(tag({ kind: "k", key: "k" }, { during })).rejects.toMatchObject({
        code: "not_available",
      });
    }
    await expect(
      answerHostCall({
        method: "artifacts.begin",
        params: {},
        ref: { orgId: agent.orgId, agentId: agent.agentId, version: 1 },
      }),
    ).rejects.toMatchObject({ code: "not_available" });
  });

  test("a direct call without a session tags for the agent", async () => {
    const during = toolCall(callId, callId);
    const { id } = await tag({ kind: "k", key: "k", base64: base64("x") }, { during });
    expect(await record(id)).toMatchObject({ sessionId: null, callId });
    expect((await contentsOf(id)).toString()).toBe("x");
    expect(await ask("artifacts.list", {}, { during })).toMatchObject({ artifacts: [{ id }] });
    expect(await ask("artifacts.list", {})).toEqual({ artifacts: [] });
  });

  test("a session that is gone takes nothing", async () => {
    const during = toolCall(newId("ses"));
    await expect(tag({ kind: "k", key: "k" }, { during })).rejects.toMatchObject({
      code: "session_not_found",
    });
  });

  test("list answers the session's own, filtered, newest first", async () => {
    const a = await tag({ kind: "a", key: "one", title: "One" });
    const b = await tag({ kind: "b", key: "one" });
    expect(await ask("artifacts.list", {})).toEqual({
      artifacts: [
        { id: b.id, kind: "b", key: "one", title: "one", version: 1 },
        { id: a.id, kind: "a", key: "one", title: "One", version: 1 },
      ],
    });
    expect(await ask("artifacts.list", { kind: "a" })).toMatchObject({ artifacts: [{ id: a.id }] });
    expect(await ask("artifacts.list", { key: "two" })).toEqual({ artifacts: [] });
    await enter(agent);
    expect(await ask("artifacts.list", {})).toEqual({ artifacts: [] });
  });
});

describe("a registry", () => {
  const artifacts = {
    file: "bot/artifacts.ts",
    kinds: ["report", "draft"],
    agentTool: false,
    retentionMs: { report: 30 * 86_400_000 },
    max: 2,
  };
  beforeEach(async () => enter(await seedAgent(berth, manifestWith({ artifacts }))));

  test("refuses kinds that it does not have, naming those it has", async () => {
    await tag({ kind: "draft", key: "k" });
    for (const kind of ["drafts", "constructor"]) {
      await expect(tag({ kind, key: "k" })).rejects.toMatchObject({
        code: "invalid_request",
        message: expect.stringContaining("report, draft"),
      });
    }
  });

  test("sets when a kind with a retention expires", async () => {
    const report = await record((await tag({ kind: "report", key: "k" })).id);
    expect(Date.parse(report.expiresAt!) - Date.parse(report.createdAt)).toBe(30 * 86_400_000);
    expect(await record((await tag({ kind: "draft", key: "k" })).id)).toMatchObject({
      expiresAt: null,
    });
  });

  test("keeps the newest versions of a key, as many as max says", async () => {
    const first = await tag({ kind: "draft", key: "k" });
    await tag({ kind: "draft", key: "k" });
    await tag({ kind: "draft", key: "other" });
    await record(first.id);
    expect((await tag({ kind: "draft", key: "k" })).version).toBe(3);
    await expect(record(first.id)).rejects.toMatchObject({ code: "not_found" });
    const { artifacts: left } = await listArtifacts(agent.ctx, { agentId: agent.agentId });
    expect(left.map(({ key, version }) => `${key} ${version}`)).toEqual(["k 3", "other 1", "k 2"]);
  });
});

test("the kind of overflows is not for tenants", async () => {
  await expect(tag({ kind: "tool-output", key: "k" })).rejects.toMatchObject({
    code: "invalid_request",
  });
});

describe("the sweep", () => {
  const expire = (ids: string[]) =>
    berth.sql("UPDATE artifact SET expires_at = now() WHERE id = ANY ($1)", [ids]);
  const rest = () =>
    berth.sql("UPDATE turn SET status = 'completed' WHERE session_id = $1", [sessionId]);
  const blobOf = (sha256: string) => openBlob(agent.orgId, sha256, { holder: sessionId });

  test("removes what has expired, and bytes with their last version", async () => {
    await rest();
    const one = await tag({ kind: "k", key: "a", base64: base64("same bytes") });
    const two = await tag({ kind: "k", key: "b", base64: base64("same bytes") });
    const { sha256 } = await record(one.id);
    await expire([one.id]);
    await expect(record(one.id)).rejects.toMatchObject({ code: "not_found" });
    await sweepArtifacts();
    expect((await contentsOf(two.id)).toString()).toBe("same bytes");
    await expire([two.id]);
    await sweepArtifacts();
    await expect(blobOf(sha256!)).rejects.toMatchObject({ code: "not_found" });
    expect(await readdir(join(state, "blobs", sessionId, sha256!.slice(0, 2)))).toEqual([]);
    const again = await tag({ kind: "k", key: "c", base64: base64("same bytes") });
    expect((await contentsOf(again.id)).toString()).toBe("same bytes");
  });

  test("leaves bytes that a saved file of the workspace has", async () => {
    await rest();
    const { id } = await tag({ kind: "k", key: "a", base64: base64("shared") });
    const { sha256 } = await record(id);
    await berth.sql(
      "INSERT INTO workspace_file (org_id, session_id, path, sha256, size, mode) VALUES ($1, $2, 'f', $3, 6, 420)",
      [agent.orgId, sessionId, sha256],
    );
    await expire([id]);
    await sweepArtifacts();
    const { stream } = await blobOf(sha256!);
    stream.destroy();
  });

  test("waits for sessions at work", async () => {
    const { id } = await tag({ kind: "k", key: "a" });
    const count = async () =>
      (await berth.sql("SELECT 1 FROM artifact WHERE id = $1", [id])).length;
    await expire([id]);
    await sweepArtifacts();
    expect(await count()).toBe(1);
    await rest();
    await sweepArtifacts();
    expect(await count()).toBe(0);
  });
});

test("an overflow is kept whole, under its call", async () => {
  const text = "\u00e9".repeat(3 * MIB);
  const { artifactId } = await keepOverflow({
    orgId: agent.orgId,
    agentId: agent.agentId,
    sessionId,
    callId,
    toolName: "dump",
    text,
  });
  expect(await record(artifactId)).toMatchObject({
    kind: "tool-output",
    key: callId,
    title: "dump",
    size: 6 * MIB,
    expiresAt: null,
  });
  expect((await contentsOf(artifactId)).toString() === text).toBe(true);
});

test("an agent that tags much at once leaves the other connections to the others", async () => {
  const { pool } = berth.platform;
  const holder = await pool.connect();
  await holder.query("BEGIN");
  await holder.query(
    "SELECT pg_advisory_xact_lock(hashtextextended('artifact/' || $1 || '/' || $2, 0))",
    [agent.orgId, agent.agentId],
  );
  const tags = Array.from({ length: 40 }, (_, i) =>
    ask("artifacts.tag", { kind: "note", key: `k${i}`, data: i }),
  );
  const isWaiting = () =>
    berth
      .sql<{ n: number }>(
        "SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
      )
      .then(([row]) => row!.n);
  await expect.poll(isWaiting).toBe(1);
  expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  expect(await isWaiting()).toBe(1);
  await holder.query("COMMIT");
  holder.release();
  expect(
    new Set((await Promise.all(tags)).map((tagged) => (tagged as { id: string }).id)).size,
  ).toBe(40);
});

test("no more uploads begin at once than one agent may have open", async () => {
  const begun = await Promise.allSettled(
    Array.from({ length: 40 }, () => ask("artifacts.begin", {})),
  );
  expect(begun.filter(({ status }) => status === "fulfilled")).toHaveLength(16);
});
