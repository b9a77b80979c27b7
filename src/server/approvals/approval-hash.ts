import { sha256Hex } from "../platform/crypto";

/** What an approval is bound to. */
export interface ApprovedCall {
  toolName: string;
  input: unknown;
  version: number;
}

/** SHA-256 in hex of a tool's name, its arguments whatever the order of their keys, and a version. */
export const approvalHash = ({ toolName, input, version }: ApprovedCall): string =>
  sha256Hex(JSON.stringify([toolName, version, ordered(input)]));

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, ordered(item)]));
}
