import type { Awaitable, JsonValue } from "../json";
import type { ChannelPrincipal } from "./auth";
import type { ChannelDefinition } from "./channel";

export interface GhCtx {
  repository: { fullName: string };
  /** Who caused the delivery; `id` is GitHub's numeric id. */
  sender?: { id: number; login: string };
}

export interface Pr {
  action: string;
  draft?: boolean;
  number: number;
  url: string;
  title?: string;
}

export interface IssueComment {
  action: string;
  body: string;
  number: number;
  isPullRequest: boolean;
  author?: string;
}

export interface CheckRun {
  action: string;
  name: string;
  conclusion?: string | null;
  pullRequests: number[];
}

/** Who a GitHub delivery comes from. */
export interface GhAuth extends ChannelPrincipal {
  readonly platform: "github";
}

interface Accepted {
  auth: GhAuth;
  title?: string | undefined;
  context?: string[] | undefined;
}

type GitHubHandler<Subject> = (ctx: GhCtx, subject: Subject) => Awaitable<null | Accepted>;

export interface GitHubChannelOptions {
  botName?: string | undefined;
  webhookEvents?: string[] | undefined;
  deliverReplies?: boolean | undefined;
  progress?: { reactions?: boolean | undefined } | undefined;
  onPullRequest?: GitHubHandler<Pr> | undefined;
  onIssueComment?: GitHubHandler<IssueComment> | undefined;
  onCheckRun?: GitHubHandler<CheckRun> | undefined;
}

/** The principal of a delivery: its sender, or the repository when GitHub names nobody. */
export const defaultGitHubAuth = (ctx: GhCtx): GhAuth =>
  ctx.sender === undefined
    ? { platform: "github", id: `repository:${ctx.repository.fullName}` }
    : { platform: "github", id: String(ctx.sender.id), label: ctx.sender.login };

const PR_KEY = /^pr:([A-Za-z0-9-]+)\/([A-Za-z0-9._-]+)#([1-9][0-9]*)$/;

/** Reads a continuation key `pr:owner/repo#n`; `null` when it is another key. */
export const parseGitHubPrContinuationKey = (
  key: string,
): { owner: string; repo: string; number: number } | null => {
  const [, owner, repo, number] = PR_KEY.exec(key) ?? [];
  if (owner === undefined || repo === undefined) return null;
  return { owner, repo, number: Number(number) };
};

/** Declares a GitHub channel: a pull request is a conversation. */
export const githubChannel = (options: GitHubChannelOptions): ChannelDefinition<JsonValue> => ({
  kind: "github",
  routes: [],
  ...options,
});
