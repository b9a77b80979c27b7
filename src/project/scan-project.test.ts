import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryProject } from "../../tests/support/temporary-project";
import { scanProject } from "./scan-project";

const NOW = new Date("2026-01-01T00:00:00Z");
const project = temporaryProject();
const { write } = project;
const scan = async (files: Record<string, string>) => {
  await write({ "bot/instructions.md": "Be brief.", ...files });
  return scanProject(project.dir, NOW);
};
const findings = async (files: Record<string, string>) =>
  (await scan(files)).diagnostics.map(({ severity, code, file, line }) =>
    [severity, code, file, line].filter((part) => part !== undefined).join(" "),
  );

test("every path of the layout is discovered", async () => {
  const found = await scan({
    "package.json": '{ "name": "@acme/all", "description": "All of it." }',
    "bot/agent.ts": "",
    "bot/artifacts.ts": "",
    "bot/result.ts": "",
    "bot/tools/approve_pr.ts": "",
    "bot/tools/plain.mjs": "",
    "bot/mcp-connections/linear.ts": "",
    "bot/host-connections/anytool.ts": "",
    "bot/skills/pr-review.md": "# Review a change\n\nCarefully.",
    "bot/skills/packed/SKILL.md": "---\ndescription: Use it.\n---\nText.",
    "bot/skills/packed/references/list.md": "- one",
    "bot/skills/made.ts": "",
    "bot/subagents/reviewer/agent.ts": "",
    "bot/subagents/reviewer/instructions.md": "Review.\n",
    "bot/extensions/ci.ts": "",
    "bot/extensions/notion/index.ts": "",
    "bot/extensions/notion/tools/search.ts": "",
    "bot/extensions/plain/skills/help.md": "Help.",
    "bot/channels/drive.ts": "",
    "bot/hooks/audit.ts": "",
    "bot/schedules/daily.md": '---\ncron: "0 9 * * 1-5"\n---\nReport.',
    "bot/schedules/beat.ts": "",
    "bot/reminders/ci_recheck.ts": "",
    "bot/sandbox/workspace/notes/a.md": "a",
    "bot/lib/shared.ts": "",
    "bot/tools/approve_pr.test.ts": "",
    "evals/evals.config.ts": "",
    "evals/deep/readiness.eval.ts": "",
  });
  expect(found.diagnostics).toEqual([]);
  expect(found.modules.map(({ kind, name }) => `${kind}/${name}`).sort()).toEqual([
    "agent/agent",
    "artifacts/artifacts",
    "channels/drive",
    "evals/deep/readiness",
    "evals/evals.config",
    "extensions/ci",
    "extensions/notion",
    "hooks/audit",
    "hostConnections/anytool",
    "mcpConnections/linear",
    "reminders/ci_recheck",
    "result/result",
    "schedules/beat",
    "skills/made",
    "subagents/reviewer",
    "tools/approve_pr",
    "tools/notion__search",
    "tools/plain",
  ]);
  expect(found).toMatchObject({
    root: "bot",
    name: "@acme/all",
    description: "All of it.",
    instructions: { file: "bot/instructions.md", text: "Be brief." },
    schedules: [{ name: "daily", cron: "0 9 * * 1-5", prompt: "Report." }],
    subagentInstructions: { reviewer: "Review." },
    extensionFolders: [{ name: "plain", file: "bot/extensions/plain" }],
    workspaceFiles: ["bot/sandbox/workspace/notes/a.md"],
    evals: [{ name: "deep/readiness", file: "evals/deep/readiness.eval.ts" }],
  });
  expect(found.skills).toEqual(
    expect.arrayContaining([
      {
        name: "pr-review",
        file: "bot/skills/pr-review.md",
        description: "Review a change",
        files: [],
      },
      {
        name: "packed",
        file: "bot/skills/packed/SKILL.md",
        description: "Use it.",
        files: ["bot/skills/packed/references/list.md"],
      },
      {
        name: "plain__help",
        file: "bot/extensions/plain/skills/help.md",
        description: "Help.",
        files: [],
      },
    ]),
  );
});

test("agent/ is a root too, and package.json may be missing", async () => {
  await write({ "agent/instructions.md": "x", "agent/tools/a.ts": "" });
  const found = await scanProject(project.dir, NOW);
  expect(found.root).toBe("agent");
  expect(found.name).toBeUndefined();
  expect(found.modules).toEqual([{ kind: "tools", name: "a", file: "agent/tools/a.ts" }]);
  expect(found.diagnostics).toEqual([]);
});

test("instructions may be a directory, joined in order of names", async () => {
  await write({ "bot/instructions/2-then.md": "Then.", "bot/instructions/1-first.md": "First.\n" });
  const { instructions } = await scanProject(project.dir, NOW);
  expect(instructions).toEqual({ file: "bot/instructions", text: "First.\n\nThen." });
});

test.each<[string, Record<string, string>, string[]]>([
  [
    "two forms of instructions",
    { "bot/instructions.ts": "" },
    ["error multiple_instructions bot/instructions.ts"],
  ],
  [
    "empty instructions",
    { "bot/instructions.md": " \n" },
    ["error empty_instructions bot/instructions.md"],
  ],
  ["two roots", { "agent/agent.ts": "" }, ["warning two_roots agent"]],
  [
    "two tools of one name",
    { "bot/tools/a.ts": "", "bot/tools/a.js": "" },
    ["error duplicate_name bot/tools/a.ts"],
  ],
  [
    "a skill in two forms",
    { "bot/skills/a.ts": "", "bot/skills/a.md": "x" },
    ["error duplicate_name bot/skills/a.md"],
  ],
  [
    "names that differ in case",
    { "bot/tools/A.ts": "", "bot/tools/a.ts": "" },
    ["error case_clash bot/tools/a.ts"],
  ],
  ["a name with a space", { "bot/tools/a b.ts": "" }, ["error invalid_name bot/tools/a b.ts"]],
  [
    "a name that is too long",
    { [`bot/tools/${"x".repeat(65)}.ts`]: "" },
    [`error invalid_name bot/tools/${"x".repeat(65)}.ts`],
  ],
  [
    "an extension with the separator",
    { "bot/extensions/a__b.ts": "" },
    ["error invalid_name bot/extensions/a__b.ts"],
  ],
  [
    "the name of a harness tool",
    { "bot/tools/shell.ts": "" },
    ["warning harness_tool_replaced bot/tools/shell.ts"],
  ],
  [
    "the name of a harness tool in another case",
    { "bot/tools/Shell.ts": "" },
    ["error reserved_name bot/tools/Shell.ts"],
  ],
  [
    "the name of a tool of the platform",
    { "bot/tools/tag_artifact.ts": "" },
    ["error reserved_name bot/tools/tag_artifact.ts"],
  ],
  [
    "the name of a built-in channel",
    { "bot/channels/http.ts": "" },
    ["error reserved_name bot/channels/http.ts"],
  ],
  ["an unknown directory", { "bot/toolz/a.ts": "" }, ["warning unrecognized_directory bot/toolz"]],
  [
    "evals inside the root",
    { "bot/evals/a.eval.ts": "" },
    ["warning unrecognized_directory bot/evals"],
  ],
  [
    "a nested folder of tools",
    { "bot/tools/deep/a.ts": "" },
    ["warning ignored_directory bot/tools/deep"],
  ],
  [
    "a file that is no definition",
    { "bot/tools/notes.txt": "" },
    ["warning ignored_file bot/tools/notes.txt"],
  ],
  [
    "a file beside the workspace",
    { "bot/sandbox/a.txt": "" },
    ["warning ignored_file bot/sandbox/a.txt"],
  ],
  [
    "a packaged skill without SKILL.md",
    { "bot/skills/a/x.md": "" },
    ["warning missing_skill_md bot/skills/a"],
  ],
  [
    "a packaged skill without description",
    { "bot/skills/a/SKILL.md": "Text." },
    ["error missing_description bot/skills/a/SKILL.md 1"],
  ],
  [
    "a subagent without agent.ts",
    { "bot/subagents/a/instructions.md": "" },
    ["error missing_agent_ts bot/subagents/a"],
  ],
  [
    "a subagent that is a file",
    { "bot/subagents/a.ts": "" },
    ["warning ignored_file bot/subagents/a.ts"],
  ],
  [
    "a schedule without cron",
    { "bot/schedules/a.md": "Go." },
    ["error missing_cron bot/schedules/a.md 1"],
  ],
  [
    "a schedule without prompt",
    { "bot/schedules/a.md": '---\ncron: "* * * * *"\n---\n' },
    ["error empty_prompt bot/schedules/a.md"],
  ],
  [
    "a cron that is never due",
    { "bot/schedules/a.md": '---\nx: 1\ncron: "0 0 31 2 *"\n---\nGo.' },
    ["error invalid_cron bot/schedules/a.md 3"],
  ],
  [
    "YAML that does not parse",
    { "bot/schedules/a.md": "---\ncron: x\ncron: y\n---\nGo." },
    ["error invalid_frontmatter bot/schedules/a.md 3"],
  ],
  [
    "frontmatter that does not end",
    { "bot/schedules/a.md": "---\ncron: x\n" },
    ["error invalid_frontmatter bot/schedules/a.md 1"],
  ],
  ["evals without settings", { "evals/a.eval.ts": "" }, ["warning missing_evals_config evals"]],
  [
    "a package.json that is none",
    { "package.json": "{" },
    ["error invalid_package_json package.json"],
  ],
  [
    "a text that is too large",
    { "bot/skills/a.md": "x".repeat(300_000) },
    ["error file_too_large bot/skills/a.md"],
  ],
])("%s is reported", async (_what, files, expected) => {
  expect(await findings(files)).toEqual(expected);
});

test("every capability folder of a subagent is a warning", async () => {
  const folders = [
    "tools",
    "skills",
    "extensions",
    "mcp-connections",
    "host-connections",
    "channels",
  ];
  folders.push("schedules", "reminders", "hooks", "sandbox", "subagents");
  const inside = folders.map((folder) => [`bot/subagents/a/${folder}/x.ts`, ""]);
  const found = await findings({ "bot/subagents/a/agent.ts": "", ...Object.fromEntries(inside) });
  expect(found.sort()).toEqual(
    folders.map((folder) => `warning ignored_capability bot/subagents/a/${folder}`).sort(),
  );
});

test("a duplicate names both files", async () => {
  const { diagnostics } = await scan({ "bot/tools/a.ts": "", "bot/tools/a.js": "" });
  expect(diagnostics[0]?.message).toContain("bot/tools/a.js and bot/tools/a.ts");
});

test("a project without a root says where to begin", async () => {
  await write({ "src/index.ts": "" });
  const { diagnostics } = await scanProject(project.dir, NOW);
  expect(diagnostics.map(({ code }) => code)).toEqual(["no_agent_root"]);
});

test("links are refused and not followed", async () => {
  await write({ "bot/instructions.md": "x" });
  await symlink("/etc", join(project.dir, "bot/lib"));
  const { diagnostics } = await scanProject(project.dir, NOW);
  expect(diagnostics.map(({ code, file }) => `${code} ${file}`)).toEqual([
    "not_a_regular_file bot/lib",
  ]);
});
