import { randomBase62 } from "../platform/crypto";

/** A fresh continuation token of a channel: `<channel>:<random>`. Not a credential. */
export const newContinuationToken = (channel: string): string => `${channel}:${randomBase62(22)}`;
