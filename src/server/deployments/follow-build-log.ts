import { type BuildLogLine, endsBuildLog } from "../../protocol/build-log";
import { notFound } from "../platform/errors";
import { decodeValue } from "../platform/json-safety";
import { TopicWake } from "../platform/topic-wake";
import { withSqlTransaction } from "../platform/transaction";

const PAGE_LINES = 500;

interface LogPlace {
  orgId: string;
  agentId: string;
  version: number;
}

interface LogRow {
  index: number;
  at: Date;
  line: object;
}

interface Page {
  lines: BuildLogLine[];
  /** The build is over, so that no more lines come. */
  ended: boolean;
}

const readPage = ({ orgId, agentId, version }: LogPlace, from: number): Promise<Page> =>
  withSqlTransaction(orgId, async ({ sql }) => {
    const key = [orgId, agentId, version];
    const [deployment] = await sql<{ status: string }>(
      "SELECT status FROM deployment WHERE org_id = $1 AND agent_id = $2 AND version = $3",
      key,
    );
    if (!deployment) throw notFound();
    const rows = await sql<LogRow>(
      `SELECT index, at, line FROM deployment_log
       WHERE org_id = $1 AND agent_id = $2 AND version = $3 AND index >= $4
       ORDER BY index LIMIT ${PAGE_LINES}`,
      [...key, from],
    );
    const lines = rows.map(
      ({ index, at, line }) =>
        ({ index, at: at.toISOString(), ...(decodeValue(line) as object) }) as BuildLogLine,
    );
    return { lines, ended: deployment.status === "ready" || deployment.status === "failed" };
  });

export interface FollowOptions extends LogPlace {
  /** First index wanted. */
  from: number;
  /** `false` ends at the tail as it is now. */
  follow: boolean;
  signal?: AbortSignal;
}

/**
 * A build's log from an index on: replay, then live, to its last line. Authority is the caller's
 * to check.
 */
export async function* followBuildLog(
  options: FollowOptions,
): AsyncGenerator<BuildLogLine, void, undefined> {
  const wake = new TopicWake("deployment", `${options.agentId}/${options.version}`);
  try {
    let next = options.from;
    while (!options.signal?.aborted) {
      const { lines, ended } = await readPage(options, next);
      yield* lines;
      next += lines.length;
      if (lines.some(endsBuildLog)) return;
      if (lines.length > 0) continue;
      if (ended || !options.follow) return;
      await wake.wait(options.signal);
    }
  } finally {
    wake.close();
  }
}
