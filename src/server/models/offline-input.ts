interface Schema {
  type?: unknown;
  enum?: unknown[];
  format?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  default?: unknown;
}

const PREPOSITION = "in|for|of|about|to|at|on|named|called|from";
const AFTER_LAST = new RegExp(`^.*\\b(?:${PREPOSITION})\\s+(.+)$`, "i");
const DANGLING = new RegExp(`(?:\\s+(?:${PREPOSITION})|[?!.,;:\\s])+$`, "i");
const FILLER = /\b(?:today|tomorrow|now|please|right)\b/gi;

/** The part of a message that a text input most likely asks for: what is quoted, or comes last. */
export function subjectOf(message: string): string {
  const quoted = /"([^"]+)"|“([^”]+)”|'([^']+)'/.exec(message);
  if (quoted) return quoted[1] ?? quoted[2] ?? quoted[3] ?? "";
  const [line = ""] = message.split("\n");
  const plain = line.replace(FILLER, "").replace(/\s+/g, " ").replace(DANGLING, "").trim();
  return AFTER_LAST.exec(plain)?.[1] ?? plain;
}

function textFor(schema: Schema, message: string): unknown {
  const words = message.toLowerCase();
  const chosen = schema.enum?.find((option) => words.includes(String(option).toLowerCase()));
  return chosen ?? schema.enum?.[0] ?? linkIn(schema, message) ?? subjectOf(message);
}

/** The address in a message, for an input that has to be one. */
const linkIn = ({ format }: Schema, message: string): string | undefined =>
  format === "uri" ? /https?:\/\/[^\s"'<>]*[^\s"'<>.,;:!?)]/.exec(message)?.[0] : undefined;

function valueFor(schema: Schema, message: string): unknown {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case "number":
    case "integer":
      return Number(/-?\d+(?:\.\d+)?/.exec(message)?.[0] ?? 0);
    case "boolean":
      return !/\b(?:no|not|without|false)\b/i.test(message);
    case "array":
      return [];
    case "object":
      return inputFor(schema, message);
    default:
      return textFor(schema, message);
  }
}

/** An input for a tool: its required members, filled from what the message says. */
export function inputFor(schema: Schema, message: string): Record<string, unknown> {
  const properties = Object.entries(schema.properties ?? {});
  const required = new Set(schema.required ?? []);
  const wanted = properties.filter(([name]) => required.has(name));
  const chosen = wanted.length > 0 ? wanted : properties.slice(0, 1);
  return Object.fromEntries(chosen.map(([name, member]) => [name, valueFor(member, message)]));
}
