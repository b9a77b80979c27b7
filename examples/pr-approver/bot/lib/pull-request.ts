const URL_OF_PR = /^https:\/\/github\.com\/([\w.-]+)\/([\w.-]+)\/pull\/(\d+)\/?$/;

export interface PullRequestRef {
  owner: string;
  repo: string;
  pull_number: number;
}

/** Reads the address of a pull request. Throws when it is the address of something else. */
export const pullRequestRef = (url: string): PullRequestRef => {
  const [, owner, repo, number] = URL_OF_PR.exec(url) ?? [];
  if (owner === undefined || repo === undefined) {
    throw new Error(`${url} is not the address of a pull request on github.com`);
  }
  return { owner, repo, pull_number: Number(number) };
};
