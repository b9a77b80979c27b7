import { z } from "zod";
import type { Ctx } from "../platform/context";
import { encodeText } from "../platform/json-safety";
import { TopicWake } from "../platform/topic-wake";
import { sqlQuery } from "../platform/verb";
import {
  ARTIFACT_COLUMNS,
  type ArtifactRow,
  type ArtifactView,
  IS_KEPT,
  toArtifactView,
} from "./artifact-view";

const PAGE = 200;

const Input = z.object({
  agentId: z.string(),
  kind: z.string().max(128).optional(),
  session: z.string().max(64).optional(),
  /** Only those tagged after this one. */
  after: z.string().max(64).optional(),
});

interface Page {
  artifacts: ArtifactView[];
  /** Where the next page begins, exactly. */
  place: string | undefined;
}

/** Times of one agent differ and become visible in their order, so a time is a place. */
const readPage = sqlQuery({
  permission: "artifacts:read",
  scope: "agent",
  input: Input.extend({ place: z.string().optional() }),
  async run({ input, tx }): Promise<Page> {
    const rows = await tx.sql<ArtifactRow & { place: string }>(
      `SELECT ${ARTIFACT_COLUMNS}, created_at::text AS place FROM artifact
       WHERE org_id = $1 AND agent_id = $2 AND ${IS_KEPT}
         AND ($3::text IS NULL OR kind = $3) AND ($4::text IS NULL OR session_id = $4)
         AND created_at > coalesce($6::timestamptz, (
           SELECT created_at FROM artifact WHERE org_id = $1 AND agent_id = $2 AND id = $5),
           '-infinity')
       ORDER BY created_at LIMIT ${PAGE}`,
      [
        tx.orgId,
        input.agentId,
        input.kind === undefined ? null : encodeText(input.kind),
        input.session ?? null,
        input.after ?? null,
        input.place ?? null,
      ],
    );
    return { artifacts: rows.map(toArtifactView), place: rows.at(-1)?.place ?? input.place };
  },
});

export interface FollowArtifacts extends z.input<typeof Input> {
  /** `false` ends with the newest there is. */
  follow: boolean;
  signal?: AbortSignal;
}

/** Opens the artifacts of an agent, oldest first: replay, then live. @throws AppError `forbidden` */
export async function followArtifacts(
  ctx: Ctx,
  { follow, signal, ...input }: FollowArtifacts,
): Promise<AsyncGenerator<ArtifactView, void, undefined>> {
  // Heard from before the first page on, so that nothing falls between the two.
  const wake = new TopicWake("artifact", input.agentId);
  try {
    return pages(ctx, { input, first: await readPage(ctx, input), follow, signal, wake });
  } catch (error) {
    wake.close();
    throw error;
  }
}

interface Following {
  input: z.input<typeof Input>;
  first: Page;
  follow: boolean;
  signal: AbortSignal | undefined;
  wake: TopicWake;
}

async function* pages(
  ctx: Ctx,
  { input, first, follow, signal, wake }: Following,
): AsyncGenerator<ArtifactView, void, undefined> {
  try {
    let page = first;
    while (!signal?.aborted) {
      yield* page.artifacts;
      if (page.artifacts.length === 0) {
        if (!follow) return;
        await wake.wait(signal);
      }
      page = await readPage(ctx, { ...input, place: page.place });
    }
  } finally {
    wake.close();
  }
}
