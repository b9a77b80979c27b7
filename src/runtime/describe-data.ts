import type { Marker } from "../protocol/description";
import { schemaKind } from "./schema-kind";
import { toJsonSchema } from "./to-json-schema";

const MAX_DEPTH = 24;

const marker = (value: Marker): Marker => value;

function describeScalar(value: unknown): unknown {
  switch (typeof value) {
    case "function":
      return marker({ $berth: "function" });
    case "bigint":
      return marker({ $berth: "bigint", value: String(value) });
    case "symbol":
      return marker({ $berth: "symbol" });
    case "number":
      return Number.isFinite(value) ? value : null;
    default:
      return value;
  }
}

function describeKnown(value: object): unknown {
  if (value instanceof RegExp) {
    return marker({ $berth: "regexp", source: value.source, flags: value.flags });
  }
  if (ArrayBuffer.isView(value)) return marker({ $berth: "bytes", length: value.byteLength });
  if (value instanceof Date || value instanceof URL) return value.toJSON();
  return undefined;
}

async function describeSchema(value: object): Promise<Marker> {
  const { schema } = await toJsonSchema(value);
  return marker({ $berth: "schema", ...(schema ? { jsonSchema: schema } : {}) });
}

/** A definition as plain JSON: what JSON cannot hold becomes a marker, and nothing is called. */
export async function describeData(
  value: unknown,
  above: ReadonlySet<object> = new Set(),
): Promise<unknown> {
  if (typeof value !== "object" || value === null) return describeScalar(value);
  if (above.has(value) || above.size > MAX_DEPTH) return marker({ $berth: "cycle" });
  const known = describeKnown(value);
  if (known !== undefined) return known;
  const kind = schemaKind(value);
  if (kind !== undefined && kind !== "json") return describeSchema(value);
  const within = new Set(above).add(value);
  if (Array.isArray(value)) {
    return Promise.all(value.map((item: unknown) => describeData(item, within)));
  }
  const entries: [string, unknown][] = [];
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) entries.push([key, await describeData(member, within)]);
  }
  return Object.fromEntries(entries);
}
