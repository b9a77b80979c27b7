import { EgressDenied, ResolveError } from "../server/egress";

export interface Refusal {
  status: number;
  reason: string;
}

/** A request of the sandbox that is not one the gateway understands. */
export class BadRequest extends Error {
  override readonly name = "BadRequest";
}

/** Status and printable reason for a connection that is not made. */
export function refusalOf(error: unknown): Refusal {
  const message = error instanceof Error ? error.message : String(error);
  const reason = message.replace(/[^\x20-\x7e]/g, "").slice(0, 300);
  if (error instanceof EgressDenied) return { status: 403, reason };
  if (error instanceof BadRequest) return { status: 400, reason };
  if (error instanceof ResolveError) return { status: 502, reason: error.code };
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return { status: 502, reason: typeof code === "string" ? code : "EIO" };
}
