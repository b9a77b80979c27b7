const SENSITIVE = [/^\.github\//, /(^|\/)migrations?\//, /(^|\/)(auth|billing|secrets?)\//];

export interface ChangedFile {
  filename: string;
  additions: number;
  deletions: number;
}

/** Changed lines above which a pull request is for two pairs of eyes. */
const LARGE = 400;

/** Reasons to look twice at a change; none means it is routine. */
export const risksOf = (files: readonly ChangedFile[]): string[] => {
  const lines = files.reduce((sum, file) => sum + file.additions + file.deletions, 0);
  const sensitive = files.filter(({ filename }) => SENSITIVE.some((path) => path.test(filename)));
  return [
    ...(lines > LARGE ? [`${lines} changed lines`] : []),
    ...sensitive.map(({ filename }) => `touches ${filename}`),
  ];
};
