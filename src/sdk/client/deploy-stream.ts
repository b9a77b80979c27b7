import { type BuildLogLine, endsBuildLog } from "../../protocol/build-log";
import { BerthApiError } from "./api-error";
import { readLines } from "./read-lines";
import { type Connection, path, request } from "./request";
import { type ResumeOptions, resumeLines } from "./resume-lines";

/** A build says something at least this often, if only a keep-alive. */
const IDLE_MS = 60_000;

/** The build log of one version from `startIndex` on; reconnects by itself. */
export const buildLog = (
  connection: Connection,
  deployments: string,
  version: number,
  options?: ResumeOptions,
): AsyncGenerator<BuildLogLine, void, undefined> =>
  resumeLines<BuildLogLine>(
    connection,
    {
      route: `${deployments}${path(version)}/log`,
      indexOf: (line) => line.index,
      isLast: endsBuildLog,
    },
    options,
  );

/** How far the answer of the upload got. */
interface Progress {
  next: number;
  over: boolean;
}

async function* uploadLines(response: Response, progress: Progress, signal?: AbortSignal) {
  if (!response.body) return;
  const lines = readLines(response.body, { idleMs: IDLE_MS, signal });
  for await (const line of lines as AsyncIterable<BuildLogLine>) {
    progress.next = line.index + 1;
    progress.over = endsBuildLog(line);
    yield line;
    if (progress.over) return;
  }
}

/**
 * Uploads a packed project and yields its build log to the last line. When the connection drops
 * the log goes on from where it stopped.
 * @throws BerthApiError when the upload is refused or its outcome cannot be learned
 */
export async function* deployStream(
  connection: Connection,
  deployments: string,
  archive: Uint8Array<ArrayBuffer>,
  options: ResumeOptions = {},
): AsyncGenerator<BuildLogLine, void, undefined> {
  const response = await request(connection, "POST", deployments, {
    body: archive,
    contentType: "application/gzip",
    accept: "application/x-ndjson",
    signal: options.signal,
  });
  const progress: Progress = { next: 0, over: false };
  let reason = "the connection ended";
  try {
    yield* uploadLines(response, progress, options.signal);
    if (progress.over) return;
  } catch (error) {
    if (options.signal?.aborted) throw error;
    reason = error instanceof Error ? error.message : reason;
  }
  const version = versionOf(response);
  if (version === undefined) throw outcomeUnknown(reason);
  options.onReconnect?.(reason);
  yield* buildLog(connection, deployments, version, {
    ...options,
    startIndex: progress.next,
  });
}

/** The answer's `Location` is the new version's path. */
function versionOf(response: Response): number | undefined {
  const match = /\/deployments\/(\d+)$/.exec(response.headers.get("location") ?? "");
  return match ? Number(match[1]) : undefined;
}

const outcomeUnknown = (reason: string): BerthApiError =>
  new BerthApiError(
    `The upload arrived but the build log broke off at once (${reason}). ` +
      "Look at the agent's deployments before you try again.",
    { code: "unreachable", status: 0 },
  );
