import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

export const PROVIDER = "bench";

/** Five tokens without a pause, unless the message holds a script. */
const MODEL = `${PROVIDER}/tokens-5-0`;

const FILES = {
  "package.json": '{ "name": "bench", "private": true, "type": "module" }\n',
  "bot/agent.ts": `import { defineAgent } from "openberth";

export default defineAgent({ name: "bench", model: "${MODEL}", tools: [] });
`,
  "bot/instructions.md": "Answer.\n",
};

const tool = (label: string) => `import { defineTool } from "openberth/tools";

export default defineTool({
  description: "Returns its input.",
  effect: "read",
  inputSchema: { type: "object", properties: { n: { type: "number" } } },
  execute: (input) => ({ input, label: ${JSON.stringify(label)} }),
});
`;

/** Writes the project of one tool that the bench deploys; `label` makes one version differ. */
export async function writeBenchProject(dir: string, label: string): Promise<void> {
  const files = { ...FILES, "bot/tools/echo.ts": tool(label) };
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), content);
  }
}
