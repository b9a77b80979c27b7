import { z } from "zod";
import type { Manifest } from "../protocol/manifest";
import { describedOf, type Join } from "./described";
import { errorAt } from "./diagnostics";

type Instructions = Manifest["instructions"];

const Code = z.union(
  [z.string(), z.object({ markdown: z.string() }), z.object({ $berth: z.literal("function") })],
  "it has to be a string, defineInstructions or a function",
);

const fromCode = (join: Join): Instructions[] =>
  describedOf(join, "instructions", Code).map(({ file, value }) => {
    if (typeof value === "string") return { file, kind: "static", text: value.trim() };
    return "markdown" in value
      ? { file, kind: "static", text: value.markdown.trim() }
      : { file, kind: "dynamic" };
  });

/** The root's instructions: exactly one of Markdown, code and `agent.ts`. */
export const instructionsManifest = (
  join: Join,
  inline: { file: string; text: string } | undefined,
): Instructions => {
  const { scan } = join;
  const forms: Instructions[] = [
    ...(scan.instructions === undefined ? [] : [{ ...scan.instructions, kind: "static" as const }]),
    ...fromCode(join),
    ...(inline === undefined ? [] : [{ ...inline, kind: "static" as const }]),
  ];
  const [first] = forms;
  const isWritten = scan.modules.some(({ kind }) => kind === "instructions");
  if (first === undefined && !isWritten) {
    const file = `${scan.root}/instructions.md`;
    const fix = `write ${file}: the agent's system prompt`;
    join.diagnostics.push(
      errorAt("missing_instructions", "the agent has no instructions", { file, fix }),
    );
  }
  if (inline !== undefined && forms.length > 1) {
    const message = `the instructions have more than one form: ${forms.map(({ file }) => file).join(", ")}`;
    const place = { file: inline.file, fix: "keep one of them" };
    join.diagnostics.push(errorAt("multiple_instructions", message, place));
  }
  return first ?? { file: `${scan.root}/instructions.md`, kind: "static", text: "" };
};
