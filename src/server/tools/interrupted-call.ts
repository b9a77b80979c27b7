import { AppError } from "../platform/errors";
import type { PlannedCall } from "./plan-call";

/**
 * Refuses to run a write again under an `Idempotency-Key` whose first run was never answered: nobody
 * saw its end. @throws AppError `call_interrupted`.
 */
export function requireNotInterrupted({ ctx, tool, scope }: PlannedCall): void {
  if (scope.session.dryRun || !ctx.once?.recall("tool.call")) return;
  throw new AppError(
    "call_interrupted",
    `The first call of ${tool.name} with this Idempotency-Key began and was lost before its answer. ` +
      "It may or may not have happened. To run it again, take a new key.",
  );
}
