import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Manifest, ToolManifest } from "../../../src/protocol/manifest";
import { manifestWith } from "../../support/seed-agent";
import { type TestWorker, WorkspaceWorld } from "../../support/workspace-world";

const program = (name: string, script: string, description = `Runs ${name}.`): ToolManifest => ({
  name,
  file: `bot/tools/${name}.ts`,
  description,
  execution: "agent",
  script,
  inputSchema: { type: "object", properties: { message: { type: "string" } } },
  effect: "write",
  needsApproval: "never",
  timeArgs: [],
  timeoutMs: 60_000,
});

const seed = (path: string) => `bot/sandbox/workspace/${path}`;
const SKILLS: Manifest["skills"] = [
  { name: "flat", file: "bot/skills/flat.md", description: "Use flat", files: [], dynamic: false },
  {
    name: "packed",
    file: "bot/skills/packed/SKILL.md",
    description: "Use packed",
    files: ["bot/skills/packed/references/list.md"],
    dynamic: false,
  },
  {
    name: "made",
    file: "bot/skills/made.ts",
    description: 'Use "made"',
    files: ["references/check.md"],
    dynamic: true,
    content: {
      markdown: "Made by code.\n",
      files: { "references/check.md": "Check.\n", "../../../../escaped": "no" },
    },
  },
];

const V1: Partial<Manifest> = {
  workspaceFiles: [seed("AGENTS.md"), seed("kept.txt"), seed("edited.txt"), seed("dropped.txt")],
  skills: SKILLS,
  tools: [program("shout", "#!/bin/sh\necho SHOUT\n"), program("old", "#!/bin/sh\n")],
};
const V2: Partial<Manifest> = {
  workspaceFiles: [seed("AGENTS.md"), seed("kept.txt"), seed("edited.txt"), seed("added.txt")],
  skills: SKILLS.slice(0, 1),
  tools: [program("shout", "#!/bin/sh\necho LOUDER\n", "Now louder.")],
};

let world: WorkspaceWorld;
let first: TestWorker;
let second: TestWorker;

beforeAll(async () => {
  world = await WorkspaceWorld.start(V1);
  first = world.worker("first");
  second = world.worker("second");
  await world.project(1, {
    [seed("AGENTS.md")]: "The author's own words.\n",
    [seed("kept.txt")]: "kept 1",
    [seed("edited.txt")]: "edited 1",
    [seed("dropped.txt")]: "dropped 1",
    "bot/skills/flat.md": "# Flat\n",
    "bot/skills/packed/SKILL.md": "---\ndescription: Use packed\n---\nPacked.\n",
    "bot/skills/packed/references/list.md": "- one\n",
  });
  await world.project(2, {
    [seed("AGENTS.md")]: "The author's new words.\n",
    [seed("kept.txt")]: "kept 2",
    [seed("edited.txt")]: "edited 2",
    [seed("added.txt")]: "added 2",
    "bot/skills/flat.md": "# Flatter\n",
  });
  const { orgId, agentId } = world.agent;
  await world.platform.sql(
    `INSERT INTO deployment (org_id, agent_id, version, id, status, source_sha, bundle_sha, manifest, created_by)
     VALUES ($1, $2, 2, 'dep_two', 'ready', 'none', 'none', $3, 'test')`,
    [orgId, agentId, JSON.stringify(manifestWith(V2))],
  );
});
afterAll(async () => {
  await first.sandboxes.close();
  await second.sandboxes.close();
  await world.stop();
});

const openNew = async () => {
  const sessionId = await world.session();
  return { sessionId, workspace: await world.open(first, sessionId) };
};

test("seed files below sandbox/workspace are copied into a new workspace", async () => {
  const { sessionId, workspace } = await openNew();
  expect(await first.list(sessionId)).toMatchObject({
    "kept.txt": "kept 1",
    "edited.txt": "edited 1",
    "dropped.txt": "dropped 1",
  });
  await workspace.close();
});

test("skills land as .cursor/skills/<name>/SKILL.md with their files, whatever their form", async () => {
  const { sessionId, workspace } = await openNew();
  const files = await first.list(sessionId);
  const skills = Object.entries(files).filter(([path]) => path.startsWith(".cursor/"));
  expect(Object.fromEntries(skills)).toEqual({
    ".cursor/skills/flat/SKILL.md": '---\nname: flat\ndescription: "Use flat"\n---\n\n# Flat\n',
    ".cursor/skills/made/SKILL.md":
      '---\nname: made\ndescription: "Use \\"made\\""\n---\n\nMade by code.\n',
    ".cursor/skills/made/references/check.md": "Check.\n",
    ".cursor/skills/packed/SKILL.md": "---\ndescription: Use packed\n---\nPacked.\n",
    ".cursor/skills/packed/references/list.md": "- one\n",
  });
  expect(Object.keys(files).filter((path) => path.includes("escaped"))).toEqual([]);
  await workspace.close();
});

test("agent tools are programs of the workspace, listed in AGENTS.md after the author's own text", async () => {
  const { sessionId, workspace } = await openNew();
  const files = await first.list(sessionId);
  expect(files[".berth/tools/shout"]).toBe("*#!/bin/sh\necho SHOUT\n");
  const agents = files["AGENTS.md"] ?? "";
  expect(agents).toMatch(/^The author's own words\.\n\n<!-- berth:tools -->\n/);
  expect(agents).toContain("- `.berth/tools/shout`: Runs shout. Input: `{");
  expect(agents.match(/berth:tools/g)).toHaveLength(2);
  await workspace.close();
});

test("a workspace that is as its version made it takes no room in the database", async () => {
  const { sessionId, workspace } = await openNew();
  expect((await world.save(workspace, sessionId)).changes).toBeUndefined();
  await workspace.close();
  expect(await world.rows(sessionId)).toEqual([]);
});

test("a new version refreshes skills, tools, catalogue and untouched seeds, and nothing the agent changed", async () => {
  const { sessionId, workspace } = await openNew();
  await first.inFolder(sessionId, async (path) => {
    await writeFile(join(path, "edited.txt"), "by the agent");
    await writeFile(join(path, "own.txt"), "of the agent");
  });
  await world.save(workspace, sessionId);
  await workspace.close();

  const next = await world.open(second, sessionId, { version: 2, manifest: manifestWith(V2) });
  const files = await second.list(sessionId);
  expect(files).toEqual({
    ".berth/tools/shout": "*#!/bin/sh\necho LOUDER\n",
    ".cursor/skills/flat/SKILL.md": '---\nname: flat\ndescription: "Use flat"\n---\n\n# Flatter\n',
    "AGENTS.md": expect.stringMatching(/^The author's new words\.\n\n<!--[^$]*Now louder/),
    "added.txt": "added 2",
    "edited.txt": "by the agent",
    "kept.txt": "kept 2",
    "own.txt": "of the agent",
  });
  await world.save(next, sessionId);
  await next.close();
  await (await world.open(first, sessionId, { version: 2, manifest: manifestWith(V2) })).close();
  expect(await first.list(sessionId)).toEqual(files);
});

test("a seed file that the agent removed stays removed, and its words in AGENTS.md stay", async () => {
  const { sessionId, workspace } = await openNew();
  await first.inFolder(sessionId, async (path) => {
    await rm(join(path, "kept.txt"));
    await writeFile(join(path, "AGENTS.md"), "Words of the agent.\n");
  });
  await world.save(workspace, sessionId);
  await workspace.close();
  const next = await world.open(first, sessionId, { version: 2, manifest: manifestWith(V2) });
  const files = await first.list(sessionId);
  expect(files["kept.txt"]).toBeUndefined();
  expect(files["AGENTS.md"]).toMatch(/^Words of the agent\.\n\n<!-- berth:tools -->/);
  await next.close();
});

test("workspaceFiles of a message are written before its turn, over what was there", async () => {
  const { sessionId, workspace } = await openNew();
  await workspace.close();
  await world.message(sessionId, { "kept.txt": "sent", "in/sub/file.txt": "deep" });
  const turn = await world.open(first, sessionId);
  expect(await first.list(sessionId)).toMatchObject({
    "kept.txt": "sent",
    "in/sub/file.txt": "deep",
  });
  await turn.close();
});

test("a path of a message that leads out of the workspace is not written", async () => {
  const { sessionId, workspace } = await openNew();
  await workspace.close();
  await world.message(sessionId, { "../escaped": "out", "/escaped": "out", inside: "in" });
  const turn = await world.open(first, sessionId);
  expect((await first.list(sessionId)).inside).toBe("in");
  const written = await readdir(world.folder, { recursive: true });
  expect(written.filter((path) => path.endsWith("escaped"))).toEqual([]);
  await turn.close();
});

test("files of a message are written once: what a turn made of them survives the next", async () => {
  const { sessionId, workspace } = await openNew();
  await workspace.close();
  await world.message(sessionId, { "sent.txt": "sent" });
  const unsaved = await world.open(first, sessionId);
  await unsaved.close(); // a turn that changed nothing
  const turn = await world.open(second, sessionId);
  await second.inFolder(sessionId, async (path) => {
    await writeFile(join(path, "sent.txt"), "worked on");
  });
  await world.save(turn, sessionId);
  await turn.close();
  await (await world.open(first, sessionId)).close();
  expect((await first.list(sessionId))["sent.txt"]).toBe("worked on");
});

test("files of a message that joins a running turn are there for its next call", async () => {
  const { sessionId, workspace } = await openNew();
  await first.inFolder(sessionId, (path) => writeFile(join(path, "unsaved.txt"), "by a read"));
  await world.message(sessionId, { "late.txt": "late" });
  workspace.joined();
  await workspace.ready();
  expect(await first.list(sessionId)).toMatchObject({
    "late.txt": "late",
    "unsaved.txt": "by a read",
  });
  await world.save(workspace, sessionId);
  expect(await world.rows(sessionId)).toContain("late.txt");
  await workspace.close();
});
