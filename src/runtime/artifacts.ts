import type { JsonValue } from "../protocol/json";
import { CodedError } from "./coded-error";
import { type Bundle, singleLoaderOf } from "./definitions";
import type { HostCaller } from "./host-calls";
import { toJson } from "./to-json";
import { validateInput } from "./validate-input";

/** Contents that travel in the call itself, and in one part, in bytes. */
const PART_BYTES = 4 * 1024 * 1024;
const CONTENT_BYTES = 64 * 1024 * 1024;

export interface ArtifactTag {
  kind: string;
  key: string;
  title?: string;
  data?: unknown;
  contents?: string | Uint8Array;
  contentType?: string;
}

type ArtifactFilter = { kind?: string; key?: string };

export interface Artifacts {
  /** Keeps a new version. Rejects with `invalid_artifact`, `invalid_request`, `body_too_large`. */
  tag(artifact: ArtifactTag): Promise<{ id: string; version: number }>;
  /** Artifacts of the call's session, newest first. */
  list(
    filter?: ArtifactFilter,
  ): Promise<{ id: string; kind: string; key: string; title?: string; version: number }[]>;
}

/** `ctx.artifacts`: what the agent keeps for people. */
export const createArtifacts = (host: HostCaller, bundle: Bundle): Artifacts => ({
  async tag({ kind, key, title, data, contents, contentType }) {
    const checked = await checkedData(bundle, kind, data);
    const bytes = bytesOf(contents);
    return await host("artifacts.tag", {
      kind,
      key,
      ...(title === undefined ? {} : { title }),
      ...(checked === undefined ? {} : { data: checked }),
      ...(contentType === undefined ? {} : { contentType }),
      ...(bytes === undefined ? {} : await sent(host, bytes)),
    });
  },
  async list({ kind, key }: ArtifactFilter = {}) {
    const filter = {
      ...(kind === undefined ? {} : { kind }),
      ...(key === undefined ? {} : { key }),
    };
    return (await host("artifacts.list", filter)).artifacts;
  },
});

interface Registry {
  kinds?: Record<string, { schema?: unknown }>;
}

/** The schema that the registry has for a kind. Kinds it does not have are the host's to refuse. */
async function schemaOf(bundle: Bundle, kind: string): Promise<unknown> {
  const load = singleLoaderOf(bundle, "artifacts");
  const registry = (await load?.())?.default as Registry | undefined;
  const kinds = registry?.kinds ?? {};
  return Object.hasOwn(kinds, kind) ? kinds[kind]?.schema : undefined;
}

/** The data as JSON, with the defaults of its kind's schema. */
async function checkedData(
  bundle: Bundle,
  kind: string,
  data: unknown,
): Promise<JsonValue | undefined> {
  const validated = await validateInput(await schemaOf(bundle, kind), data);
  if (validated.ok) {
    return validated.value === undefined ? undefined : toJson(validated.value, "data");
  }
  const issues = validated.issues.map(({ path, message }) => `${path || "data"}: ${message}`);
  throw new CodedError(
    "invalid_artifact",
    [`The data does not match the schema of ${kind}.`, ...issues].join("\n"),
  );
}

function bytesOf(contents: unknown): Buffer | undefined {
  if (contents === undefined) return undefined;
  const bytes =
    contents instanceof Uint8Array
      ? Buffer.from(contents.buffer, contents.byteOffset, contents.byteLength)
      : textBytes(contents);
  if (bytes.length <= CONTENT_BYTES) return bytes;
  throw new CodedError("body_too_large", `An artifact holds at most ${CONTENT_BYTES} bytes.`);
}

function textBytes(contents: unknown): Buffer {
  if (typeof contents === "string") return Buffer.from(contents);
  throw new CodedError("invalid_request", "The contents of an artifact are a string or bytes.");
}

/** Sends contents that are too long for a call ahead of it, in parts. */
async function sent(
  host: HostCaller,
  bytes: Buffer,
): Promise<{ base64: string } | { upload: string }> {
  if (bytes.length <= PART_BYTES) return { base64: bytes.toString("base64") };
  const { upload } = await host("artifacts.begin", {});
  for (let at = 0; at < bytes.length; at += PART_BYTES) {
    const base64 = bytes.subarray(at, at + PART_BYTES).toString("base64");
    await host("artifacts.part", { upload, base64 });
  }
  return { upload };
}
