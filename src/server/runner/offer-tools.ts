import type { HarnessToolName } from "../../protocol/harness-tool";
import type { Manifest } from "../../protocol/manifest";
import { tagArtifactTool } from "../artifacts";
import { authoredTool } from "./authored-tool";
import { agentTool } from "./harness/agent-tool";
import { editTool } from "./harness/edit-tool";
import { globTool } from "./harness/glob-tool";
import { grepTool } from "./harness/grep-tool";
import { lsTool } from "./harness/ls-tool";
import { readTool } from "./harness/read-tool";
import { shellTool } from "./harness/shell-tool";
import { skillTool } from "./harness/skill-tool";
import { taskTool } from "./harness/task-tool";
import { writeTool } from "./harness/write-tool";
import type { OfferedTool, OfferedTools } from "./thread";
import { toolSet } from "./tool-set";

const FILE_TOOLS = [writeTool, editTool, lsTool, globTool, grepTool, shellTool];

/** The tools of a version as the model sees them; the project's own come before the harness. */
export function offerTools(manifest: Manifest): OfferedTools {
  const tagging = tagArtifactTool(manifest);
  return toolSet([
    ...manifest.tools.map((tool) =>
      tool.execution === "agent" ? agentTool(tool) : authoredTool(tool),
    ),
    ...(tagging ? [authoredTool(tagging)] : []),
    ...harnessTools(manifest),
  ]);
}

/** Whether the agent may use a tool of the harness: `tools` of agent.ts, absent for all. */
const allows = ({ harnessTools: listed }: Manifest, name: HarnessToolName): boolean =>
  listed === undefined || listed.includes(name);

const AGENTS_FILE = "The workspace has an AGENTS.md: read it before you work there.";

/** The author's own, or the catalogue of the agent tools. */
const hasAgentsFile = ({ tools, workspaceFiles }: Manifest): boolean =>
  tools.some(({ execution }) => execution === "agent") ||
  workspaceFiles.some((path) => path.endsWith("/sandbox/workspace/AGENTS.md"));

function harnessTools(manifest: Manifest): OfferedTool[] {
  const { skills, subagents } = manifest;
  const tools = [
    { ...readTool, ...(hasAgentsFile(manifest) ? { prompt: AGENTS_FILE } : {}) },
    ...FILE_TOOLS,
    ...(skills.length > 0 ? [skillTool(skills)] : []),
    ...(subagents.length > 0 ? [taskTool(subagents)] : []),
  ];
  return tools.filter(({ name }) => allows(manifest, name as HarnessToolName));
}
