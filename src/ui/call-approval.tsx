"use client";

import type { CallBlock } from "../protocol/transcript";
import { ApprovalPanel } from "./approval-panel";
import { useApprovalPlace } from "./approval-place";
import { TimeAgo } from "./time-ago";

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
      {place ? <ApprovalPanel {...place} callId={call.callId} toolName={call.toolName} /> : null}
    </div>
  );
}
