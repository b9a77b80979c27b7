import type { JsonValue } from "../protocol/json";
import { CodedError } from "./coded-error";

/** Deepest nesting of a value that leaves the process. */
const MAX_DEPTH = 64;

const refuse = (path: string, what: string): never => {
  throw new CodedError("not_json", `${path} is ${what}, which JSON cannot hold.`);
};

const UNABLE: Record<string, string> = {
  bigint: "a BigInt (return it as a string or number)",
  function: "a function",
  symbol: "a symbol",
};

/** Objects whose content `JSON.stringify` would lose or bloat without a word. */
const LOSSY: readonly (readonly [new (...args: never[]) => object, string])[] = [
  [Map, "a Map (return Object.fromEntries of it)"],
  [Set, "a Set (return an array)"],
  [WeakMap, "a WeakMap"],
  [WeakSet, "a WeakSet"],
  [Promise, "a Promise (await it)"],
  [RegExp, "a RegExp"],
  [Error, "an Error (throw it, or return its message)"],
  [ArrayBuffer, "an ArrayBuffer (return base64)"],
];

function lossy(value: object): string | undefined {
  if (ArrayBuffer.isView(value)) return "bytes (return base64)";
  return LOSSY.find(([kind]) => value instanceof kind)?.[1];
}

function convertObject(value: object, path: string, above: ReadonlySet<object>): JsonValue {
  if (above.has(value)) refuse(path, "part of a cycle");
  if (above.size >= MAX_DEPTH) refuse(path, `nested deeper than ${MAX_DEPTH} levels`);
  const within = new Set(above).add(value);
  if (Array.isArray(value)) {
    return Array.from(value, (item: unknown, i) => convert(item, `${path}[${i}]`, within) ?? null);
  }
  const object: { [key: string]: JsonValue } = {};
  for (const [key, member] of Object.entries(value)) {
    const converted = convert(member, `${path}.${key}`, within);
    if (converted === undefined) continue;
    // `__proto__` as a plain assignment would set the prototype instead of a member.
    Object.defineProperty(object, key, { value: converted, enumerable: true, writable: true });
  }
  return object;
}

function convert(value: unknown, path: string, above: ReadonlySet<object>): JsonValue | undefined {
  if (value === undefined || value === null) return value;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  const unable = UNABLE[typeof value];
  if (unable) return refuse(path, unable);
  const lost = lossy(value as object);
  if (lost) return refuse(path, lost);
  const object = value as { toJSON?: unknown };
  if (typeof object.toJSON === "function") return convert(object.toJSON(), path, above);
  return convertObject(object, path, above);
}

/**
 * A fresh copy of a value as JSON holds it: `undefined` members are dropped, `undefined` itself
 * becomes `null`, dates their text. Throws `not_json` naming the member that JSON cannot hold.
 */
export const toJson = (value: unknown, name: string): JsonValue =>
  convert(value, name, new Set()) ?? null;
