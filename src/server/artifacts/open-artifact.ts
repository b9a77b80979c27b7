import { Readable } from "node:stream";
import { type ByteRange, openBlob } from "../blobs";
import type { Ctx } from "../platform/context";
import { notFound } from "../platform/errors";
import type { ArtifactRecord } from "./artifact-view";
import { getArtifact } from "./get-artifact";
import { holderOf } from "./holder-of";

export interface OpenedArtifact {
  artifact: ArtifactRecord;
  contentType: string;
  /** Bytes of the whole. */
  size: number;
  /** Opens the bytes, or a part of them, to be read or destroyed. */
  open(range?: ByteRange): Promise<Readable>;
}

/**
 * The contents of an artifact; of one that has data alone, the data as JSON.
 * @throws AppError `not_found`, also where there is neither
 */
export async function openArtifact(
  ctx: Ctx,
  input: { agentId: string; id: string },
): Promise<OpenedArtifact> {
  const artifact = await getArtifact(ctx, input);
  const { sha256, data, size, contentType } = artifact;
  if (sha256 !== null) {
    const holder = holderOf({ sessionId: artifact.sessionId, agentId: input.agentId });
    return {
      artifact,
      contentType: contentType ?? "application/octet-stream",
      size,
      open: async (range) => (await openBlob(ctx.orgId, sha256, { holder, range })).stream,
    };
  }
  if (data === null) throw notFound();
  const bytes = Buffer.from(JSON.stringify(data, undefined, 2));
  return {
    artifact,
    contentType: "application/json",
    size: bytes.length,
    open: ({ start, end } = { start: 0, end: bytes.length - 1 }) =>
      Promise.resolve(Readable.from([bytes.subarray(start, end + 1)])),
  };
}
