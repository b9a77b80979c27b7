import { defineTool } from "openberth/tools";
import { z } from "zod";
import { pullRequestRef } from "../lib/pull-request";

export default defineTool({
  description: "Approve a pull request. Parks until a person agrees.",
  inputSchema: z.object({
    prUrl: z.string().url(),
    summary: z.string().min(1).describe("Why it can be merged; becomes the text of the review"),
  }),
  effect: "write",
  needsApproval: true,
  dryRunResult: ({ prUrl }) => ({ approved: false, prUrl }),
  async execute({ prUrl, summary }, { host }) {
    const ref = pullRequestRef(prUrl);
    const { rest } = await host.github.getOctokit();
    // Read again: what was true when the model asked may not be true when a person agrees.
    const { data: pr } = await rest.pulls.get(ref);
    if (pr.state !== "open" || pr.draft === true) {
      throw new Error(`The pull request is ${pr.draft === true ? "a draft" : pr.state}.`);
    }
    await rest.pulls.createReview({ ...ref, event: "APPROVE", body: summary });
    return { approved: true, prUrl };
  },
});
