import { CRON_FIX, cronProblem } from "./cron";
import { errorAt, locate } from "./diagnostics";
import { readFrontmatter } from "./frontmatter";
import { readText } from "./read-text";
import type { Walk } from "./walk";

interface Found {
  name: string;
  file: string;
}

/** The first line of a body that says something, without heading marks. */
const firstLine = (body: string): string =>
  body
    .split("\n")
    .map((line) => line.replace(/^#+\s*/, "").trim())
    .find((line) => line !== "") ?? "";

/** Reads a skill written in Markdown; `packaged` ones must describe themselves. */
export const markdownSkill = async (
  walk: Walk,
  { name, file }: Found,
  packaged?: { files: string[] },
): Promise<void> => {
  const text = await readText(walk, file);
  if (text === undefined) return;
  const { data, body, diagnostics } = readFrontmatter(file, text);
  for (const diagnostic of diagnostics) walk.report(diagnostic);
  const written = data.description;
  const description = typeof written === "string" ? written.trim() : "";
  if (packaged !== undefined && description === "" && diagnostics.length === 0) {
    walk.report(
      errorAt("missing_description", `${file} has no description in its frontmatter`, {
        file,
        line: 1,
        fix: "begin the file with a frontmatter whose description says when to use the skill",
      }),
    );
  }
  walk.skills.push({
    name,
    file,
    description: description === "" ? firstLine(body) : description,
    files: packaged?.files ?? [],
  });
};

/** Reads a schedule written in Markdown: `cron` in the frontmatter, the prompt below it. */
export const markdownSchedule = async (walk: Walk, { name, file }: Found): Promise<void> => {
  const text = await readText(walk, file);
  if (text === undefined) return;
  const { data, body, diagnostics } = readFrontmatter(file, text);
  for (const diagnostic of diagnostics) walk.report(diagnostic);
  if (diagnostics.length > 0) return;
  const cron = data.cron;
  if (typeof cron !== "string") {
    const fix = 'begin the file with a frontmatter such as cron: "0 9 * * 1-5"';
    walk.report(
      errorAt("missing_cron", `${file} has no cron in its frontmatter`, { file, line: 1, fix }),
    );
    return;
  }
  const problem = cronProblem(cron, walk.now);
  if (problem !== undefined) {
    const place = { file, ...locate(text, /^cron\s*:/m), fix: CRON_FIX };
    walk.report(errorAt("invalid_cron", `the schedule "${name}" cannot run: ${problem}`, place));
  }
  if (body === "") {
    walk.report(
      errorAt("empty_prompt", `the schedule "${name}" has no prompt below its frontmatter`, {
        file,
      }),
    );
  }
  walk.schedules.push({ name, file, cron, prompt: body });
};
