import type { ToolManifest } from "../../protocol/manifest";

const BEGIN = "<!-- berth:tools -->";
const END = "<!-- /berth:tools -->";
const BLOCK = /\n*<!-- berth:tools -->[\s\S]*?<!-- \/berth:tools -->\n*/g;

export const TOOL_FOLDER = ".berth/tools";

/** What a tool says of itself must not end the block it stands in. */
const oneLine = (text: string): string =>
  text.replaceAll("<!--", "<! --").replace(/\s+/g, " ").trim();

const entryOf = ({ name, description, inputSchema }: ToolManifest): string => {
  const input =
    inputSchema === undefined ? "" : ` Input: \`${oneLine(JSON.stringify(inputSchema))}\``;
  return `- \`${TOOL_FOLDER}/${name}\`: ${oneLine(description)}${input}`;
};

/** The list of agent tools, as a block of AGENTS.md; empty without any. */
export function catalogueOf(tools: readonly ToolManifest[]): string {
  if (tools.length === 0) return "";
  return [
    BEGIN,
    "## Programs of this workspace",
    "",
    "Each reads its arguments as one JSON object on standard input and prints its result.",
    "",
    ...tools.map(entryOf),
    END,
  ].join("\n");
}

/** AGENTS.md with exactly this catalogue after the author's own text; done twice, it is the same. */
export function withCatalogue(text: string, catalogue: string): string {
  const own = text.replace(BLOCK, "\n").trimEnd();
  if (catalogue === "") return own === "" ? "" : `${own}\n`;
  return own === "" ? `${catalogue}\n` : `${own}\n\n${catalogue}\n`;
}
