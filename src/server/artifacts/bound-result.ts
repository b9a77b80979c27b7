import type { JsonValue } from "../../protocol/json";
import { AppError } from "../platform/errors";
import { firstBytes } from "../platform/first-bytes";
import { byteLength } from "../platform/json-safety";
import { keepOverflow } from "./keep-overflow";

/** Whose result it is. */
export interface ResultOrigin {
  orgId: string;
  agentId: string;
  sessionId: string;
  callId: string;
  toolName: string;
}

/** A result as a session's log takes it. */
export interface BoundResult {
  isError: boolean;
  result: JsonValue;
  /** Holds all of a result that is cut here. */
  artifactId?: string;
}

const WHOLE_BYTES = 1024 * 1024;
const SHOWN_BYTES = 256 * 1024;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Bounds a result, secrets taken out before: over 1 MiB it is cut to its first 256 KiB and all of
 * it becomes an artifact; over 64 MiB it is an error that says so.
 */
export async function boundResult(
  origin: ResultOrigin,
  whole: { isError: boolean; result: JsonValue },
): Promise<BoundResult> {
  const { isError, result } = whole;
  const isText = typeof result === "string";
  const text = isText ? result : JSON.stringify(result);
  const size = byteLength(text);
  if (size <= WHOLE_BYTES) return { isError, result };
  if (size > MAX_BYTES) {
    const message = `output_too_large: the result has ${size} bytes; at most ${MAX_BYTES} fit.`;
    return { isError: true, result: message };
  }
  const kept = await keep(origin, text, isText ? undefined : "application/json");
  const note = `[The first ${SHOWN_BYTES} of ${size} bytes. ${kept.note}]`;
  const { artifactId } = kept;
  return {
    isError,
    result: `${firstBytes(text, SHOWN_BYTES)}\n${note}`,
    ...(artifactId === undefined ? {} : { artifactId }),
  };
}

async function keep(
  origin: ResultOrigin,
  text: string,
  contentType: string | undefined,
): Promise<{ note: string; artifactId?: string }> {
  const type = contentType === undefined ? {} : { contentType };
  try {
    const { artifactId } = await keepOverflow({ ...origin, text, ...type });
    return { note: `All of it is the artifact ${artifactId}.`, artifactId };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { note: `The rest was not kept: ${error.message}` };
  }
}
