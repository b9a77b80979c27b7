import type { Manifest } from "../../protocol/manifest";
import { AppError } from "../platform/errors";
import { OVERFLOW_KIND } from "./overflow-kind";

/** How long artifacts of a kind are kept, and how many versions of one key. */
export interface KindRules {
  retentionMs: number | undefined;
  max: number | undefined;
}

/**
 * The rules of a kind: without a registry any kind may be used and nothing expires by itself.
 * @throws AppError `invalid_request` for a kind that the registry does not have
 */
export function kindRules({ artifacts }: Manifest, kind: string): KindRules {
  if (kind === OVERFLOW_KIND) {
    throw new AppError("invalid_request", `The kind ${kind} is kept for results of tools.`);
  }
  if (!artifacts) return { retentionMs: undefined, max: undefined };
  if (!artifacts.kinds.includes(kind)) {
    const known = artifacts.kinds.join(", ") || "none";
    throw new AppError("invalid_request", `artifacts.ts has no kind ${kind}; it has: ${known}.`);
  }
  const { retentionMs = {}, max } = artifacts;
  return { retentionMs: Object.hasOwn(retentionMs, kind) ? retentionMs[kind] : undefined, max };
}
