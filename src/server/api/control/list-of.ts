import { z } from "zod";

/** The schema of a list's answer: `{ ok, <plural>, nextCursor }`. */
export const listOf = <Plural extends string>(plural: Plural, item: z.ZodType) =>
  z.object({
    ok: z.literal(true),
    [plural]: z.array(item),
    nextCursor: z.string().nullable(),
  });

/** An answer that holds the whole list. */
export const wholeList = <Plural extends string>(plural: Plural, items: unknown[]) => ({
  ok: true,
  [plural]: items,
  nextCursor: null,
});
