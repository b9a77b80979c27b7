/** Postgres' code for bytes that are no text, which of well-formed Unicode is NUL alone. */
const INVALID_TEXT = "22021";

const codesOf = (error: object): unknown[] => {
  // The last three are where Prisma keeps what its driver said.
  const { code, meta, driverAdapterError, cause } = error as Record<string, unknown>;
  return [code, meta, driverAdapterError, cause];
};

/**
 * Whether the database refused a text for a NUL in it. Where NUL is somebody's to write it is
 * stored escaped; in a name, an id, a cursor or an address it is an input that names nothing.
 */
export function isUnstorableText(error: unknown): boolean {
  if (error === INVALID_TEXT) return true;
  if (typeof error !== "object" || error === null) return false;
  return codesOf(error).some(isUnstorableText);
}
