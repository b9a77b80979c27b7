import { z } from "zod";
import type { DescribedDefinition, Description } from "../protocol/description";
import { HARNESS_TOOLS } from "../protocol/harness-tool";
import type { Diagnostic, Manifest } from "../protocol/manifest";
import { type AgentSettings, readAgentSettings } from "./agent-settings";
import { artifactsManifest } from "./artifacts-manifest";
import { describedOf, type Join, keyPlace } from "./described";
import { errorAt, warningAt } from "./diagnostics";
import { instructionsManifest } from "./instructions-manifest";
import type { ProjectScan } from "./project-scan";
import { settingsManifest } from "./settings-manifest";
import { subagentManifests } from "./subagent-manifests";
import {
  channelManifests,
  connectionManifests,
  extensionManifests,
  hookManifests,
  reminderManifests,
  resultManifest,
  scheduleManifests,
  skillManifests,
} from "./surface-manifests";
import { toolManifests } from "./tool-manifests";

/** Definitions that could not be loaded. An eval that fails stops no deployment. */
const failures = (definitions: readonly DescribedDefinition[]): Diagnostic[] =>
  definitions.flatMap((definition) => {
    if (definition.ok) return [];
    const { kind, file, error } = definition;
    const say = kind === "evals" ? warningAt : errorAt;
    const missing = error.code === "secret_missing_at_load" ? error.variable : undefined;
    const fix = missing === undefined ? {} : { fix: `berth secrets set <agent> ${missing}` };
    return [say(error.code, error.message, { file, ...fix })];
  });

const agentSettings = (join: Join): { file: string; settings: AgentSettings } => {
  const [found] = describedOf(join, "agent", z.record(z.string(), z.unknown()));
  if (found === undefined) return { file: `${join.scan.root}/agent.ts`, settings: {} };
  const { file, value } = found;
  const keyLines = join.scan.keyLines[file] ?? {};
  const { settings, diagnostics } = readAgentSettings(value, { file, keyLines });
  join.diagnostics.push(...diagnostics);
  return { file, settings };
};

const harnessTools = (
  join: Join,
  file: string,
  tools: string[] | undefined,
): Pick<Manifest, "harnessTools"> => {
  if (tools === undefined) return {};
  const known: ReadonlySet<string> = new Set(HARNESS_TOOLS);
  for (const tool of tools.filter((name) => !known.has(name))) {
    const message = `tools names "${tool}", which is no harness tool`;
    const fix = `the harness tools are ${HARNESS_TOOLS.join(", ")}; the project's own are always there`;
    join.diagnostics.push(
      warningAt("unknown_harness_tool", message, { ...keyPlace(join, file, "tools"), fix }),
    );
  }
  return { harnessTools: [...new Set(tools.filter((name) => known.has(name)))] };
};

/** What the model cannot get at, because `tools` leaves out the tool that leads there. */
const warnUnreachable = (join: Join, file: string, manifest: Manifest): void => {
  const { harnessTools: listed, tools } = manifest;
  const leads = [
    { tool: "task", to: "subagents" },
    { tool: "skill", to: "skills" },
  ] as const;
  for (const { tool, to } of leads) {
    const isThere = listed === undefined || listed.includes(tool);
    if (isThere || manifest[to].length === 0 || tools.some(({ name }) => name === tool)) continue;
    const message = `the ${to} are out of the model's reach: tools leaves out "${tool}"`;
    const place = { ...keyPlace(join, file, "tools"), fix: `add "${tool}" to tools` };
    join.diagnostics.push(warningAt(`unreachable_${to}`, message, place));
  }
};

/**
 * Joins what the walk of a project's files and the agent process's description of its bundle
 * found. Pure; `now` decides whether crons are still due, `fallbackName` names a project that does
 * not name itself. The diagnostics are those of the join:
 * the walk's own are in `scan.diagnostics`. A manifest with errors must not be activated.
 */
export const toManifest = (
  scan: ProjectScan,
  description: Description,
  now: Date = new Date(),
  fallbackName = "agent",
): { manifest: Manifest; diagnostics: Diagnostic[] } => {
  const join: Join = { scan, description, diagnostics: failures(description.definitions) };
  const { file, settings } = agentSettings(join);
  const text = settings.instructions;
  const about = settings.description ?? scan.description;
  const tools = toolManifests(join);
  const manifest: Manifest = {
    schema: 1,
    root: scan.root,
    name: settings.name ?? scan.name ?? fallbackName,
    ...(about === undefined ? {} : { description: about }),
    ...settingsManifest(settings),
    ...harnessTools(join, file, settings.tools),
    instructions: instructionsManifest(join, text === undefined ? undefined : { file, text }),
    tools,
    skills: skillManifests(join),
    subagents: subagentManifests(join),
    channels: channelManifests(join),
    schedules: scheduleManifests(join, now),
    reminders: reminderManifests(join),
    hooks: hookManifests(join),
    mcpConnections: connectionManifests(join, "mcpConnections"),
    hostConnections: connectionManifests(join, "hostConnections"),
    extensions: extensionManifests(join),
    ...artifactsManifest(join),
    ...resultManifest(join),
    workspaceFiles: scan.workspaceFiles,
    ...(scan.readsState ? { readsState: true } : {}),
    evals: scan.evals,
  };
  warnUnreachable(join, file, manifest);
  return { manifest, diagnostics: join.diagnostics };
};
