import { defineSkill } from "openberth/skills";

const PARTS = ["Question", "Answer", "Sources"];

export default defineSkill({
  description: "Use when the findings are to become a report.",
  markdown: `# Report\n\nWrite these parts: ${PARTS.join(", ")}. Start from the template.\n`,
  files: { "template.md": PARTS.map((part) => `## ${part}\n`).join("\n") },
});
