/** The kind of artifact that holds a result too long for the log. */
export const OVERFLOW_KIND = "tool-output";
