import { z } from "zod";
import type { Manifest } from "../../../protocol/manifest";
import type { FileContent } from "../../../protocol/shell-rpc";
import { type CallResult, errorResult } from "../call-result";
import type { OfferedTool } from "../thread";
import { harnessTool } from "./harness-tool";
import { runInShell } from "./run-in-shell";

type Skill = Manifest["skills"][number];

const WHOLE_FILE = 100_000;
const folderOf = (name: string): string => `.cursor/skills/${name}`;

/** The tool that loads one of the agent's skills: what it says, and which files it brings along. */
export const skillTool = (skills: readonly Skill[]): OfferedTool => ({
  prompt: skillsPrompt(skills),
  ...harnessTool({
    name: "skill",
    description:
      "Load a skill before you do what it is for: answers its instructions and names its files, which can be read.",
    input: z.object({
      name: z.enum(skills.map((skill) => skill.name)).describe("Name of the skill."),
    }),
    effect: "read",
    run: async (thread, { name }) => {
      const skill = skills.find((known) => known.name === name);
      if (!skill) throw new Error(`no skill ${name}`); // the schema knows their names
      const path = `${folderOf(name)}/SKILL.md`;
      return await runInShell(thread, { kind: "read", path, limit: WHOLE_FILE }, ({ content }) =>
        loaded(skill, content),
      );
    },
  }),
});

/** How the skills are advertised: by what each is for. */
function skillsPrompt(skills: readonly Skill[]): string {
  const lines = skills.map(({ name, description }) => `- ${name}: ${description}`);
  return ["# Skills", "Load one with the skill tool when what it is for comes up.", ...lines].join(
    "\n",
  );
}

function loaded({ name, file, files }: Skill, content: FileContent): CallResult {
  if (content.type !== "text") return errorResult(`The skill ${name} is no text.`);
  const folder = file.slice(0, file.lastIndexOf("/") + 1);
  const beside = files.map((path) => (path.startsWith(folder) ? path.slice(folder.length) : path));
  const references = beside.map((path) => `- ${folderOf(name)}/${path}`);
  const note = references.length === 0 ? [] : ["", "Files of this skill:", ...references];
  return { isError: false, result: [content.text, ...note].join("\n") };
}
