import { DEFINITION_KINDS } from "../protocol/description";
import { errorAt, warningAt } from "./diagnostics";
import { discoverEvals } from "./discover-evals";
import { discoverInstructions } from "./discover-instructions";
import { discoverMount, discoverSingle } from "./discover-mount";
import { keyLinesOf } from "./key-lines";
import { listFiles } from "./list-files";
import { nameClashes, nameProblem } from "./name-rules";
import type { ProjectScan } from "./project-scan";
import { installable, readPackage, zodOf } from "./read-package";
import { readsState } from "./reads-state";
import type { Walk } from "./walk";

type Root = ProjectScan["root"];

const newWalk = (dir: string, files: readonly string[], now: Date): Walk => {
  const diagnostics: Walk["diagnostics"] = [];
  return {
    dir,
    files,
    now,
    modules: [],
    skills: [],
    schedules: [],
    subagentInstructions: {},
    extensionFolders: [],
    workspaceFiles: [],
    diagnostics,
    report: (diagnostic) => diagnostics.push(diagnostic),
  };
};

/** `bot/` or, in older projects, `agent/`. */
const rootOf = (walk: Walk): Root | undefined => {
  const has = (root: Root) => walk.files.some((file) => file.startsWith(`${root}/`));
  if (has("bot") && has("agent")) {
    const message = "both bot/ and agent/ exist; bot/ is used";
    walk.report(warningAt("two_roots", message, { file: "agent", fix: "keep one of them" }));
  }
  return (["bot", "agent"] as const).find(has);
};

const checkNames = (walk: Walk): void => {
  const named = [
    ...walk.modules,
    ...walk.skills.map(({ name, file }) => ({ kind: "skills" as const, name, file })),
    ...walk.schedules.map(({ name, file }) => ({ kind: "schedules" as const, name, file })),
    ...walk.extensionFolders.map(({ name, file }) => ({ kind: "extensions" as const, name, file })),
  ];
  for (const kind of DEFINITION_KINDS) {
    const ofKind = named.filter((entry) => entry.kind === kind);
    for (const diagnostic of nameClashes(kind, ofKind)) walk.report(diagnostic);
    if (kind === "evals") continue;
    for (const { name, file } of ofKind) {
      const problem = nameProblem(kind, name, file);
      if (problem !== undefined) walk.report(problem);
    }
  }
};

/**
 * Walks an agent project without running any of its code. What is wrong is in `diagnostics`;
 * rejects only when the directory itself cannot be read. `now` decides whether crons are due.
 */
export const scanProject = async (dir: string, now: Date = new Date()): Promise<ProjectScan> => {
  const listed = await listFiles(dir);
  const walk = newWalk(dir, listed.files, now);
  walk.diagnostics.push(...listed.diagnostics);
  const parsed = await readPackage(walk);
  const root = rootOf(walk);
  if (root === undefined) {
    const fix = "put the agent into bot/, beginning with bot/instructions.md";
    walk.report(errorAt("no_agent_root", "there is neither bot/ nor agent/", { file: ".", fix }));
  }
  const mount = { base: `${root ?? "bot"}/`, prefix: "" };
  const instructions = await discoverInstructions(walk, mount);
  for (const kind of ["agent", "artifacts", "result"] as const) discoverSingle(walk, mount, kind);
  await discoverMount(walk, mount);
  const evals = discoverEvals(walk);
  checkNames(walk);
  const { name, description } = parsed;
  return {
    root: root ?? "bot",
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    modules: walk.modules,
    ...(instructions === undefined ? {} : { instructions }),
    skills: walk.skills,
    schedules: walk.schedules,
    subagentInstructions: walk.subagentInstructions,
    extensionFolders: walk.extensionFolders,
    workspaceFiles: walk.workspaceFiles,
    evals,
    dependencies: installable(parsed),
    zod: zodOf(parsed),
    keyLines: await keyLinesOf(walk),
    ...((await readsState(walk)) ? { readsState: true } : {}),
    diagnostics: walk.diagnostics,
  };
};
