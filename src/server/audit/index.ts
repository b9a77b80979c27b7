/**
 * Owns reading the audit log. The rows are written by `platform/verb` in the transaction of the
 * change they describe.
 * Never changes a row.
 */
export { listAudit } from "./list-audit";
