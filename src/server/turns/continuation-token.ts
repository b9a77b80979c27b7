import { randomBase62 } from "../platform/crypto";

/** The part of a fresh continuation token behind `<channel>:`. Not a credential. */
export const newContinuationKey = (): string => randomBase62(22);
