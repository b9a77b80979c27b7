import type { JsonValue } from "./json";

/** What the agent process may ask of its worker, by method: parameters and result on the wire. */
export interface HostMethods {
  /** `null`: no such key. `revision` is opaque and changes with every write. */
  "kv.get": { params: { key: string }; result: { value: JsonValue; revision: string } | null };
  "kv.put": { params: { key: string; value: JsonValue }; result: null };
  "kv.delete": { params: { key: string }; result: null };
  "kv.list": { params: { prefix: string }; result: { keys: string[] } };
  /** Writes only if the key still has that revision; `null` = only if the key does not exist. */
  "kv.cas": {
    params: { key: string; value: JsonValue; revision: string | null };
    result: { swapped: boolean };
  };
  "files.get": { params: { path: string }; result: { base64: string } | null };
  "files.put": { params: { path: string; base64: string }; result: null };
  "files.delete": { params: { path: string }; result: null };
  "files.list": {
    params: { prefix: string };
    result: { files: { path: string; size: number }[] };
  };
  /** Contents travel in base64: small ones here, others in parts that were sent before. */
  "artifacts.tag": {
    params: {
      kind: string;
      key: string;
      title?: string;
      data?: JsonValue;
      contentType?: string;
      base64?: string;
      upload?: string;
    };
    result: { id: string; version: number };
  };
  "artifacts.begin": { params: Record<string, never>; result: { upload: string } };
  "artifacts.part": { params: { upload: string; base64: string }; result: null };
  /** Those of the session that the call belongs to, newest first. */
  "artifacts.list": {
    params: { kind?: string; key?: string };
    result: {
      artifacts: { id: string; kind: string; key: string; title?: string; version: number }[];
    };
  };
}

export type HostMethod = keyof HostMethods;
