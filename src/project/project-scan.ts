import { z } from "zod";
import { DEFINITION_KINDS } from "../protocol/description";
import { Diagnostic } from "../protocol/manifest";

const Named = z.object({ name: z.string(), file: z.string() });

/** What the walk of a project's files found. All paths are relative to the project, with `/`. */
export const ProjectScan = z.object({
  root: z.enum(["bot", "agent"]),
  /** package.json `name`. */
  name: z.string().optional(),
  description: z.string().optional(),
  /** Code to load: one entry of the bundle each. */
  modules: z.array(Named.extend({ kind: z.enum(DEFINITION_KINDS) })),
  /** Markdown instructions; absent when they are code, inline or missing. */
  instructions: z.object({ file: z.string(), text: z.string() }).optional(),
  /** Skills that are Markdown: `files` are what travels beside the text. */
  skills: z.array(Named.extend({ description: z.string(), files: z.array(z.string()) })),
  /** Schedules that are Markdown. */
  schedules: z.array(Named.extend({ cron: z.string(), prompt: z.string() })),
  /** Instructions files of subagents, by name of the subagent. */
  subagentInstructions: z.record(z.string(), z.string()),
  /** Extension folders without code of their own. */
  extensionFolders: z.array(Named),
  workspaceFiles: z.array(z.string()),
  evals: z.array(Named),
  /** Names and ranges of package.json's dependencies. */
  dependencies: z.record(z.string(), z.string()),
  /** Which Zod the project asks for. */
  zod: z.enum(["3", "4"]),
  /** Where the keys of a definition stand, by file and key: lines from 1. */
  keyLines: z.record(z.string(), z.record(z.string(), z.number().int())),
  /** Code of the project names `stateRoot`. */
  readsState: z.boolean().optional(),
  diagnostics: z.array(Diagnostic),
});
export type ProjectScan = z.infer<typeof ProjectScan>;
export type FoundModule = ProjectScan["modules"][number];
