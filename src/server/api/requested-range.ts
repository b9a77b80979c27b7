export interface RequestedRange {
  start: number;
  /** Included. */
  end: number;
}

const ONE_RANGE = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/;

/**
 * The one range of bytes that a `Range` header asks for. `undefined` for none, and for what is not
 * understood, as for several at once: then everything is sent.
 */
export function requestedRange(
  header: string | null,
  size: number,
): RequestedRange | "unsatisfiable" | undefined {
  const asked = ONE_RANGE.exec(header ?? "");
  if (!asked) return undefined;
  const [, from, to, last] = asked;
  if (last !== undefined) {
    const start = Math.max(0, size - Number(last));
    return Number(last) === 0 || size === 0 ? "unsatisfiable" : { start, end: size - 1 };
  }
  const start = Number(from);
  const end = to ? Math.min(Number(to), size - 1) : size - 1;
  if (to && Number(to) < start) return undefined;
  return start >= size ? "unsatisfiable" : { start, end };
}
