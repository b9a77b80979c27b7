import type { Matcher } from "./matcher";
import type { Found } from "./walk";

/** How many names are held against the pattern at once. */
const BATCH = 500;

export interface NameTest {
  pattern: RegExp;
  /** What of a file the pattern is for. */
  nameOf(path: string): string;
}

/** Those of the files whose name matches, in the same order. Throws Refusal as `Matcher.find`. */
export async function* matchingFiles(
  files: AsyncIterable<Found>,
  { pattern, nameOf }: NameTest,
  matcher: Matcher,
) {
  let batch: Found[] = [];
  const matches = async () => {
    const names = batch.map(({ path }) => nameOf(path));
    const places = new Set(await matcher.find("The glob", pattern, names));
    return batch.filter((_, at) => places.has(at));
  };
  for await (const file of files) {
    batch.push(file);
    if (batch.length < BATCH) continue;
    yield* await matches();
    batch = [];
  }
  if (batch.length > 0) yield* await matches();
}
