import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import type { Manifest } from "../../protocol/manifest";
import type { Tree } from "./tree";
import { bytesFile, hostFile } from "./tree-file";

type Skill = Manifest["skills"][number];

const FRONTMATTER = /^---\r?\n/;

/** The skill's text with the frontmatter that its readers look for. */
const withFrontmatter = ({ name, description }: Skill, markdown: string): string =>
  FRONTMATTER.test(markdown)
    ? markdown
    : `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${markdown}`;

/** Where a skill's files go in a workspace, and what they hold. */
export async function skillFiles(skill: Skill, project: string): Promise<Tree> {
  const folder = `.cursor/skills/${skill.name}`;
  const files: Tree = new Map();
  const main = (markdown: string) =>
    files.set(`${folder}/SKILL.md`, bytesFile(Buffer.from(withFrontmatter(skill, markdown))));
  if (skill.content) {
    main(skill.content.markdown);
    for (const [path, text] of Object.entries(skill.content.files)) {
      files.set(`${folder}/${path}`, bytesFile(Buffer.from(text)));
    }
    return files;
  }
  main(await readFile(join(project, skill.file), "utf8"));
  for (const file of skill.files) {
    const path = posix.relative(posix.dirname(skill.file), file);
    files.set(`${folder}/${path}`, await hostFile(join(project, file)));
  }
  return files;
}
