import { NO_SECRETS } from "../sessions";
import { contentsOf } from "./contents";
import { OVERFLOW_KIND } from "./overflow-kind";
import { tagArtifact } from "./tag-artifact";

/** How long the overflow of a call is kept that no session erases. */
const WITHOUT_SESSION_MS = 7 * 86_400_000;

export interface Overflow {
  orgId: string;
  agentId: string;
  /** Null for a direct call without a session. */
  sessionId: string | null;
  callId: string;
  toolName: string;
  /** The whole result, at most 64 MiB, without secrets. */
  text: string;
  /** Media type of the text; plain when absent. */
  contentType?: string;
}

/** Keeps a result that is too long for the log as an artifact. @throws AppError `session_not_found` */
export async function keepOverflow({
  toolName,
  text,
  contentType = "text/plain; charset=utf-8",
  ...origin
}: Overflow): Promise<{ artifactId: string }> {
  const { callId: key, sessionId } = origin;
  const { id } = await tagArtifact(origin, {
    artifact: { kind: OVERFLOW_KIND, key, title: toolName, contentType },
    contents: contentsOf(Buffer.from(text)),
    rules: { retentionMs: sessionId === null ? WITHOUT_SESSION_MS : undefined, max: undefined },
    redactor: NO_SECRETS,
  });
  return { artifactId: id };
}
