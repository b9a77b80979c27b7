import type { Ctx } from "../../server/platform/context";

const SELF =
  "You asked for this call, so somebody else decides. The agent can allow it with approvals.self.";

/** Why the reader may not decide about calls; `self`: they asked for it and may not decide then. */
export function approvalBlocked(ctx: Ctx, self: boolean): string | undefined {
  if (!ctx.permissions.has("approvals:decide")) {
    return "Deciding needs the permission approvals:decide.";
  }
  return self ? SELF : undefined;
}
