/** The part of Slack's Web API that projects use through `host.slack`. */
export interface SlackWeb {
  chat: {
    postMessage(message: {
      channel: string;
      text?: string;
      thread_ts?: string;
      unfurl_links?: boolean;
      blocks?: unknown[];
    }): Promise<{ ok?: boolean; channel?: string; ts?: string }>;
  };
  reactions: {
    get(target: { channel: string; timestamp: string }): Promise<object>;
  };
}

interface PullRequestRef {
  owner: string;
  repo: string;
  pull_number: number;
}

export interface PullRequestData {
  title: string;
  user: { login: string } | null;
  state: string;
  draft?: boolean;
  additions: number;
  deletions: number;
  changed_files: number;
}

export interface PullRequestFile {
  filename: string;
  additions: number;
  deletions: number;
  patch?: string;
}

/** The part of GitHub's REST client that projects use through `host.github`. */
export interface Octo {
  rest: {
    pulls: {
      get(ref: PullRequestRef): Promise<{ data: PullRequestData }>;
      listFiles(ref: PullRequestRef & { per_page?: number }): Promise<{ data: PullRequestFile[] }>;
      createReview(
        review: PullRequestRef & {
          event: "APPROVE" | "COMMENT" | "REQUEST_CHANGES";
          body: string;
        },
      ): Promise<unknown>;
    };
  };
}
