import type { GuestError, GuestFrame } from "../../protocol/runtime-rpc";

type Fields = Record<string, unknown>;

const MAX_ID = 32;
const MAX_METHOD = 64;
const MAX_TEXT = 20_000;

const isId = (value: unknown): value is string =>
  typeof value === "string" && value.length <= MAX_ID;
const text = (value: unknown, max = MAX_TEXT): string =>
  typeof value === "string" ? value.slice(0, max) : "";
const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};

function readError(value: unknown): GuestError {
  const fields = fieldsOf(value);
  return {
    name: text(fields.name, 200),
    message: text(fields.message),
    ...(typeof fields.code === "string" ? { code: text(fields.code, 200) } : {}),
    ...(typeof fields.stack === "string" ? { stack: text(fields.stack) } : {}),
  };
}

function readHostCall(fields: Fields): GuestFrame | undefined {
  const { method, params, callId } = fieldsOf(fields.call);
  if (!isId(fields.id) || typeof method !== "string" || method.length > MAX_METHOD)
    return undefined;
  const during = isId(callId) ? { callId } : {};
  return { t: "hcall", id: fields.id, call: { method, params, ...during } };
}

function readLog(fields: Fields): GuestFrame | undefined {
  const { level, callId } = fields;
  if (level !== "info" && level !== "warn" && level !== "error") return undefined;
  const during = isId(callId) ? { callId } : {};
  return { t: "log", level, text: text(fields.text), ...during };
}

type Reader = (fields: Fields, id: string) => GuestFrame | undefined;

/** Frames about a call of ours, by its id. */
const READERS: Record<string, Reader> = {
  took: (_fields, id) => ({ t: "took", id }),
  res: ({ result }, id) => ({ t: "res", id, result }),
  err: ({ error }, id) => ({ t: "err", id, error: readError(error) }),
  large: ({ bytes }, id) =>
    Number.isSafeInteger(bytes) ? { t: "large", id, bytes: Number(bytes) } : undefined,
  part: ({ text: part }, id) =>
    typeof part === "string" ? { t: "part", id, text: part } : undefined,
  end: (_fields, id) => ({ t: "end", id }),
};

/**
 * What a guest sent as a frame of the contract, rebuilt from the fields it may have;
 * `undefined` for anything else, which is ignored.
 */
export function readGuestFrame(message: unknown): GuestFrame | undefined {
  const fields = fieldsOf(message);
  switch (fields.t) {
    case "ready":
      return { t: "ready" };
    case "initerr":
      return { t: "initerr", error: readError(fields.error) };
    case "pong":
      return typeof fields.n === "number" ? { t: "pong", n: fields.n } : undefined;
    case "hcall":
      return readHostCall(fields);
    case "log":
      return readLog(fields);
    default:
      return readCallFrame(fields);
  }
}

function readCallFrame(fields: Fields): GuestFrame | undefined {
  const { t, id } = fields;
  if (typeof t !== "string" || !Object.hasOwn(READERS, t) || !isId(id)) return undefined;
  return READERS[t]?.(fields, id);
}
