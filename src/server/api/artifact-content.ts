import { Readable } from "node:stream";
import { type OpenedArtifact, openArtifact } from "../artifacts";
import type { Ctx } from "../platform/context";
import { AppError } from "../platform/errors";
import { downloadName } from "./download-name";
import { requestedRange } from "./requested-range";
import { foreignAnswer } from "./tenant-answer";

/** As RFC 8187 wants it: everything but letters, digits and a few marks as bytes. */
const extended = (name: string): string =>
  encodeURIComponent(name).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );

function dispositionOf({ artifact, contentType }: OpenedArtifact): string {
  const name = downloadName(artifact.title ?? artifact.key, contentType);
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  return `attachment; filename="${ascii}"; filename*=UTF-8''${extended(name)}`;
}

/** What every answer about an artifact's bytes says of them. */
function headersOf(opened: OpenedArtifact): Record<string, string> {
  const { artifact, contentType } = opened;
  return {
    "content-type": contentType,
    "content-disposition": dispositionOf(opened),
    "accept-ranges": "bytes",
    // The bytes of a version never change; who may read them does, so every use asks again.
    etag: `"${artifact.sha256 ?? artifact.id}"`,
    "cache-control": "private, no-cache",
  };
}

function rangeOf(request: Request, etag: string, size: number) {
  const ifRange = request.headers.get("if-range");
  if (ifRange !== null && ifRange !== etag) return undefined;
  return requestedRange(request.headers.get("range"), size);
}

/**
 * An artifact's contents as a download that cannot act for our origin: whole, a part, or nothing
 * where the caller has them. @throws AppError `not_found`, `range_not_satisfiable`
 */
export async function artifactContent(
  ctx: Ctx,
  input: { agentId: string; id: string },
  request: Request,
): Promise<Response> {
  const opened = await openArtifact(ctx, input);
  const { size } = opened;
  const headers = headersOf(opened);
  const etag = headers.etag ?? "";
  if (request.headers.get("if-none-match") === etag) {
    return foreignAnswer(new Response(null, { status: 304, headers }));
  }
  const range = rangeOf(request, etag, size);
  if (range === "unsatisfiable") {
    throw new AppError("range_not_satisfiable", `The artifact has ${size} bytes.`, {
      details: { size },
    });
  }
  if (range) headers["content-range"] = `bytes ${range.start}-${range.end}/${size}`;
  headers["content-length"] = String(range ? range.end - range.start + 1 : size);
  const body = request.method === "HEAD" ? null : Readable.toWeb(await opened.open(range));
  const status = range ? 206 : 200;
  return foreignAnswer(new Response(body as ReadableStream | null, { status, headers }));
}
