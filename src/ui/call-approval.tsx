"use client";

import type { CallBlock } from "../protocol/transcript";
import { ApprovalPanel } from "./approval-panel";
import { useApprovalPlace } from "./approval-place";
import { TimeAgo } from "./time-ago";

/** Who decided about a call, how, and why. */
export function CallDecision({ call: { decision } }: { call: CallBlock }) {
  const me = useApprovalPlace()?.me;
  if (!decision) return null;
  const by = decision.by === me ? "you" : decision.by;
  return (
    <p className="text-soft text-xs [overflow-wrap:anywhere]">
      {decision.decision === "approve" ? "Approved" : "Denied"} by {by}
      {decision.reason ? `: ${decision.reason}` : null}
    </p>
  );
}

/** What a call card shows while its call waits: until when, and the decision where one can be made. */
export function CallApproval({ call }: { call: CallBlock }) {
  const place = useApprovalPlace();
  return (
    <div className="grid gap-2">
      <p className="text-faint text-xs">
        A person decides before this runs.
        {call.expiresAt ? (
          <>
            {" "}
            Expires <TimeAgo at={call.expiresAt} />.
          </>
        ) : null}
      </p>
      {place ? (
        <ApprovalPanel
          origin={place.origin}
          base={place.base}
          blocked={place.blocked}
          callId={call.callId}
          toolName={call.toolName}
        />
      ) : null}
    </div>
  );
}
