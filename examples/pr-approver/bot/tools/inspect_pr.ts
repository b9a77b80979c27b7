import { defineTool } from "openberth/tools";
import { z } from "zod";
import { pullRequestRef } from "../lib/pull-request";
import { risksOf } from "../lib/risk";

export default defineTool({
  description:
    "Read the live state of a pull request: author, size, files and what is risky in it.",
  inputSchema: z.object({ prUrl: z.string().url() }),
  effect: "read",
  async execute({ prUrl }, { host }) {
    const ref = pullRequestRef(prUrl);
    const { rest } = await host.github.getOctokit();
    const [{ data: pr }, { data: files }] = await Promise.all([
      rest.pulls.get(ref),
      rest.pulls.listFiles({ ...ref, per_page: 100 }),
    ]);
    return {
      title: pr.title,
      author: pr.user?.login,
      state: pr.state,
      draft: pr.draft,
      files: files.map(({ filename, additions, deletions }) => ({
        filename,
        additions,
        deletions,
      })),
      risks: risksOf(files),
    };
  },
});
