/** A call that cannot be done as asked. Its message is for the model, and says what to do. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

/** The system's reason of a failed file operation, in words. */
const REASONS: Record<string, string> = {
  ENOENT: "does not exist",
  EISDIR: "is a folder",
  ENOTDIR: "is below something that is not a folder",
  EEXIST: "is in the way",
  EACCES: "may not be used: permission denied",
  EPERM: "may not be changed",
  ENOSPC: "cannot be written: the disk is full",
  EDQUOT: "cannot be written: the workspace is full",
  EFBIG: "would be larger than a file may be",
  ELOOP: "is a chain of links without an end",
  ENAMETOOLONG: "is too long a name",
  ENXIO: "is neither a file nor a folder",
};

/** What a file operation on `path` threw, as a refusal where the system said why. */
export function fileRefusal(path: string, thrown: unknown): unknown {
  const reason = REASONS[(thrown as NodeJS.ErrnoException).code ?? ""];
  return reason === undefined ? thrown : new Refusal(`${path} ${reason}.`);
}
