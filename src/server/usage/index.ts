/**
 * What models used and what it cost: one ledger row per try of a model call, priced when it
 * happened with the version of the table kept beside it. Never rewrites a row, never decides
 * whether a turn may go on.
 */
export { PRICE_VERSION, priceCall } from "./price-call";
export { recordUsage, type UsageRecord } from "./record-usage";
