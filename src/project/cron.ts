import { CronExpressionParser } from "cron-parser";

const FIELDS = ["minute", "hour", "day of month", "month", "day of week"] as const;
const MONTHS = new Set("JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" "));
const DAYS = new Set("SUN MON TUE WED THU FRI SAT".split(" "));
const HORIZON_MS = 5 * 366 * 24 * 3600 * 1000;
const NONE: ReadonlySet<string> = new Set();

const namesOf = (field: number): ReadonlySet<string> => {
  if (field === 3) return MONTHS;
  return field === 4 ? DAYS : NONE;
};

const badField = (field: string, index: number): string | undefined => {
  const name = FIELDS[index] ?? "field";
  if (!/^[0-9A-Za-z*,/-]+$/.test(field))
    return `the ${name} "${field}" has a character that is not allowed`;
  const words = field.toUpperCase().match(/[A-Z]+/g) ?? [];
  const unknown = words.find((word) => !namesOf(index).has(word));
  return unknown === undefined ? undefined : `the ${name} does not know "${unknown}"`;
};

/** What to write instead of an expression that `cronProblem` refused. */
export const CRON_FIX =
  "write minute, hour, day of month, month and day of week in UTC, such as 0 9 * * 1-5";

/**
 * Why a cron expression cannot be used, or `undefined` when it can: exactly five fields, UTC,
 * letters only as names of months and days, and a due time within five years of `from`.
 */
export const cronProblem = (expression: string, from: Date): string | undefined => {
  const fields = expression.trim().split(/\s+/);
  if (fields.length !== FIELDS.length) {
    return `a cron expression has five fields, this has ${expression.trim() === "" ? 0 : fields.length}`;
  }
  for (const [index, field] of fields.entries()) {
    const problem = badField(field, index);
    if (problem !== undefined) return problem;
  }
  try {
    const [next] = nextDue(expression, from, 1);
    const late = next === undefined || next.getTime() - from.getTime() > HORIZON_MS;
    return late ? "it is never due within five years" : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

/** The next `count` due instants after `from`, UTC. Throws for an expression that is not valid. */
export const nextDue = (expression: string, from: Date, count: number): Date[] => {
  const cron = CronExpressionParser.parse(expression, { currentDate: from, tz: "UTC" });
  return Array.from({ length: count }, () => cron.next().toDate());
};
