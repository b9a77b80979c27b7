import { expect, test } from "vitest";
import type { DescribedDefinition } from "../protocol/description";
import type { ProjectScan } from "./project-scan";
import { toManifest } from "./to-manifest";

const SCAN: ProjectScan = {
  ...{ root: "bot", modules: [], skills: [], schedules: [], subagentInstructions: {} },
  ...{ extensionFolders: [], workspaceFiles: [], evals: [], dependencies: {}, zod: "4" },
  ...{ keyLines: {}, diagnostics: [], instructions: { file: "bot/instructions.md", text: "x" } },
};

const joined = (data: unknown, scan: Partial<ProjectScan> = {}) => {
  const definition = { key: "skills/s", kind: "skills", name: "s", file: "bot/skills/s.ts" };
  const described = { ...definition, ok: true, data, exports: ["default"], warnings: [] };
  return toManifest(
    { ...SCAN, ...scan },
    { definitions: [described as DescribedDefinition] },
    new Date(0),
  );
};

test("what a generated skill says travels in the manifest", () => {
  const files = { "references/list.md": "- one" };
  const { manifest } = joined({ description: "Use it.", markdown: "# How", files });
  expect(manifest.skills).toEqual([
    {
      ...{ name: "s", file: "bot/skills/s.ts", description: "Use it.", dynamic: true },
      files: ["references/list.md"],
      content: { markdown: "# How", files },
    },
  ]);
});

test("skills and subagents that no listed tool leads to are warned about", () => {
  const loaded = (key: string, data: object) => {
    const [kind = "", name = kind] = key.split("/");
    const file = `bot/${key}.ts`;
    return { key, kind, name, file, ok: true, data, exports: ["default"], warnings: [] };
  };
  const codes = (tools: string[] | undefined) => {
    const definitions = [
      loaded("agent", tools === undefined ? {} : { tools }),
      loaded("skills/s", { description: "Use it.", markdown: "# How" }),
      loaded("subagents/a", { description: "Helps." }),
    ] as DescribedDefinition[];
    return toManifest(SCAN, { definitions }, new Date(0)).diagnostics.map(({ code }) => code);
  };
  expect(codes(undefined)).toEqual([]);
  expect(codes(["task", "skill"])).toEqual([]);
  expect(codes(["task"])).toEqual(["unreachable_skills"]);
  expect(codes([])).toEqual(["unreachable_subagents", "unreachable_skills"]);
});

test.each(["../outside.md", "/etc/passwd", "a/../../b", ""])(
  "a generated skill has no file %j",
  (path) => {
    const { manifest, diagnostics } = joined({
      description: "Use it.",
      markdown: "# How",
      files: { [path]: "x" },
    });
    expect(manifest.skills).toEqual([]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["invalid_definition"]);
  },
);
