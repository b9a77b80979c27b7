import type { TurnErrorCode } from "../../protocol/event";

/** Why a turn ends with `turn.failed`. */
export class TurnError extends Error {
  override readonly name = "TurnError";

  constructor(
    readonly code: TurnErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The turn has another owner or was stopped: nothing more may be written or started. */
export class TurnFenced extends Error {
  override readonly name = "TurnFenced";
}
