/** How the model is told that the text of a step was rejected: the next step is the first to see it. */
export const revisionRequest = (step: number, message: string) => ({
  id: `revision:${step}`,
  text: `Your answer was not accepted: ${message}\nAnswer again, in full.`,
  atStep: step + 1,
});
