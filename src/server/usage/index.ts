/**
 * What models used and what it cost: one ledger row per try of a model call, priced when it
 * happened with the version of the table kept beside it. Never rewrites a row, never decides
 * whether a turn may go on.
 */
export { recordUsage } from "./record-usage";
