import { z } from "zod";
import type { HostMethods } from "../../protocol/host-method";
import type { RuntimeCall } from "../../protocol/runtime-rpc";
import { loadVersion } from "../agents";
import { AppError, invalidRequest } from "../platform/errors";
import { decodeText, encodeText } from "../platform/json-safety";
import { withSqlTransaction } from "../platform/transaction";
import { runtimeRedactor } from "../secrets";
import { IS_KEPT } from "./artifact-view";
import { type Contents, contentsOf } from "./contents";
import { kindRules } from "./kind-rules";
import { NewArtifact } from "./new-artifact";
import { type ArtifactOrigin, tagArtifact } from "./tag-artifact";
import { Uploads } from "./uploads";

/** A host call about artifacts: everything beside `params` is the worker's own knowledge. */
export interface ArtifactsCall {
  ref: { orgId: string; agentId: string; version: number };
  /** The call that the guest was running. */
  during: RuntimeCall | undefined;
  params: unknown;
}

const LISTED = 1_000;
const PART_BASE64 = 6 * 1024 * 1024;

const Base64 = z.base64().max(PART_BASE64);
const Tag = NewArtifact.extend({ base64: Base64.optional(), upload: z.uuid().optional() });
const Part = z.object({ upload: z.uuid(), base64: Base64 });
const Filter = z.object({ kind: z.string().optional(), key: z.string().optional() });

const uploads = new Uploads();

function parse<S extends z.ZodType>(schema: S, params: unknown): z.output<S> {
  const parsed = schema.safeParse(params);
  if (!parsed.success) throw invalidRequest(parsed.error);
  return parsed.data;
}

/**
 * Where the call comes from. A call without a session has its own id in the session's place. Which
 * of the process's running calls it is, is the guest's word: sessions that must not reach into each
 * other need `hosting.isolation: "session"`.
 */
function originOf({ ref, during }: ArtifactsCall): ArtifactOrigin {
  if (during?.kind !== "tool") {
    throw new AppError("not_available", "ctx.artifacts is there only while a tool runs.");
  }
  const { session, toolCallId: callId, epoch } = during.scope;
  const sessionId = session.id === callId ? null : session.id;
  return { orgId: ref.orgId, agentId: ref.agentId, sessionId, callId, epoch };
}

const ownerKey = ({ ref: { orgId, agentId, version } }: ArtifactsCall): string =>
  `${orgId}/${agentId}/${version}`;

/** `artifacts.begin`: contents will come in parts. @throws AppError `rate_limited` */
export async function beginArtifact(
  call: ArtifactsCall,
): Promise<HostMethods["artifacts.begin"]["result"]> {
  originOf(call);
  return { upload: await uploads.begin(ownerKey(call)) };
}

/** `artifacts.part`. @throws AppError `not_found`, `body_too_large` beyond 64 MiB in all */
export async function sendArtifactPart(call: ArtifactsCall): Promise<null> {
  const { upload, base64 } = parse(Part, call.params);
  await uploads.add(ownerKey(call), upload, Buffer.from(base64, "base64"));
  return null;
}

/** `artifacts.tag`. @throws AppError `invalid_request`, `body_too_large`, `session_not_found` */
export async function tagArtifactOfCall(
  call: ArtifactsCall,
): Promise<HostMethods["artifacts.tag"]["result"]> {
  const origin = originOf(call);
  const { base64, upload, ...artifact } = parse(Tag, call.params);
  const { manifest } = await loadVersion(call.ref);
  const rules = kindRules(manifest, artifact.kind);
  const { orgId, agentId } = call.ref;
  const redactor = await runtimeRedactor({ orgId, agentId, secretNames: manifest.secretNames });
  const tag = (contents: Contents | undefined) =>
    tagArtifact(origin, { artifact, contents, rules, redactor });
  if (upload !== undefined) return await uploads.take(ownerKey(call), upload, tag);
  return await tag(base64 === undefined ? undefined : contentsOf(Buffer.from(base64, "base64")));
}

const stored = (text: string | undefined): string | null =>
  text === undefined ? null : encodeText(text);

interface Row {
  id: string;
  kind: string;
  key: string;
  title: string | null;
  version: number;
}

/** `artifacts.list`: those of the call's session, or of no session, newest first. */
export async function listArtifactsOfCall(
  call: ArtifactsCall,
): Promise<HostMethods["artifacts.list"]["result"]> {
  const { orgId, agentId, sessionId } = originOf(call);
  const { kind, key } = parse(Filter, call.params ?? {});
  const rows = await withSqlTransaction(orgId, ({ sql }) =>
    sql<Row>(
      `SELECT id, kind, key, title, version FROM artifact
       WHERE org_id = $1 AND agent_id = $2 AND session_id IS NOT DISTINCT FROM $3 AND ${IS_KEPT}
         AND ($4::text IS NULL OR kind = $4) AND ($5::text IS NULL OR key = $5)
       ORDER BY created_at DESC LIMIT ${LISTED}`,
      [orgId, agentId, sessionId, stored(kind), stored(key)],
    ),
  );
  return {
    artifacts: rows.map(({ title, ...row }) => ({
      ...row,
      kind: decodeText(row.kind),
      key: decodeText(row.key),
      ...(title === null ? {} : { title: decodeText(title) }),
    })),
  };
}
