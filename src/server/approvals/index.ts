/**
 * Approvals: what people decide about calls before they run. Owns the rows, who may decide, that
 * the first decision counts, and that nothing waits for ever. An approval is bound to a hash of
 * tool, arguments and version. Never asks for one and never runs a call: that is `runner`.
 */
export { approvalHash } from "./approval-hash";
export type { ApprovalView } from "./approval-view";
export { countApprovals } from "./count-approvals";
export { type Decided, decideApproval, decideOrgApproval } from "./decide-approval";
export { expireApprovals } from "./expire-approvals";
export { type Decision, findDecision } from "./find-decision";
export { listApprovals, listOrgApprovals } from "./list-approvals";
