import { prompt } from "openberth";
import { defaultGitHubAuth, githubChannel } from "openberth/channels/github";

export default githubChannel({
  webhookEvents: ["pull_request"],
  deliverReplies: true,
  progress: { reactions: true },
  onPullRequest(ctx, pr) {
    if (pr.draft === true || !["opened", "ready_for_review"].includes(pr.action)) return null;
    return {
      auth: defaultGitHubAuth(ctx),
      title: `${ctx.repository.fullName}#${pr.number}`,
      context: prompt.lines`
        A pull request is ready for review: ${pr.url}
        Review it; do not approve it.
      `,
    };
  },
});
