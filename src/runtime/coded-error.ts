/** An error with a stable `code`, as tenant code may want to tell cases apart. */
export class CodedError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = "BerthError";
  }
}

/** A member of the context whose service this Berth does not offer. */
export const notAvailable = (member: string): CodedError =>
  new CodedError("not_available", `${member} is not available on this Berth yet.`);
