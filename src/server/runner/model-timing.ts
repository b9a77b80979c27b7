/** How long a model may take, and how often a call is tried before it has said anything. */
export interface ModelTiming {
  tries: number;
  /** Until the first piece of an answer, and between pieces. */
  firstChunkMs: number;
  chunkMs: number;
  /** Wait before the second try; doubles with each. */
  backoffMs: number;
  /** Longest wait that a provider's Retry-After may ask for. */
  maxWaitMs: number;
}

export const DEFAULT_TIMING: ModelTiming = {
  tries: 4,
  firstChunkMs: 120_000,
  chunkMs: 120_000,
  backoffMs: 500,
  maxWaitMs: 60_000,
};
