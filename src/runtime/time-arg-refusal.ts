const INSTANT = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d(?::\d\d(?:[.,](\d+))?)?(?:Z|[+-]\d\d:?\d\d)$/;

const daysIn = (year: number, month: number): number =>
  new Date(Date.UTC(year, month, 0)).getUTCDate();

/**
 * An absolute ISO-8601 instant with its timezone as milliseconds, rounded up; `undefined` for
 * anything else, days that no month has among it.
 */
function instantOf(value: unknown): number | undefined {
  const parts = typeof value === "string" ? INSTANT.exec(value) : null;
  if (!parts) return undefined;
  const [text, year, month, day, fraction = ""] = parts;
  if (Number(day) > daysIn(Number(year), Number(month))) return undefined;
  const ms = Date.parse(text.replace(",", "."));
  if (Number.isNaN(ms)) return undefined;
  return /[1-9]/.test(fraction.slice(3)) ? ms + 1 : ms;
}

function fault(input: object, name: string, frozen: number): string | undefined {
  const value = Object.hasOwn(input, name) ? (input as Record<string, unknown>)[name] : undefined;
  if (value === undefined || value === null) return `${name} is missing`;
  const instant = instantOf(value);
  if (instant === undefined) return `${name} is not an absolute ISO-8601 instant with a timezone`;
  return instant > frozen ? `${name} is later than the frozen instant` : undefined;
}

/**
 * Why a call may not run in a session frozen at `asOf`, worded for the model; `undefined` when
 * every one of its time arguments is an absolute instant no later than that.
 */
export function timeArgRefusal(
  timeArgs: readonly string[],
  input: unknown,
  asOf: string,
): string | undefined {
  const given = typeof input === "object" && input !== null ? input : {};
  const frozen = Date.parse(asOf);
  const faults = timeArgs.flatMap((name) => fault(given, name, frozen) ?? []);
  if (faults.length === 0) return undefined;
  return (
    `The session is frozen at ${asOf}: ${faults.join("; ")}. Retry with absolute bounds: ` +
    `each of ${timeArgs.join(", ")} as an ISO-8601 instant with a timezone, at ${asOf} or before.`
  );
}
