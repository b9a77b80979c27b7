import { setTimeout as delay } from "node:timers/promises";
import type { JsonValue } from "../protocol/json";
import { CodedError } from "./coded-error";
import type { HostCaller } from "./host-calls";
import { toJson } from "./to-json";

const MAX_ATTEMPTS = 32;

export interface Kv {
  /** A fresh copy of the value, `undefined` when there is no such key. */
  get(key: string): Promise<JsonValue | undefined>;
  put(key: string, value: JsonValue): Promise<void>;
  delete(key: string): Promise<void>;
  list(prefix?: string): Promise<string[]>;
  /**
   * Replaces the value by what `change` makes of it, again if somebody else wrote in between.
   * `change` returning `undefined` leaves the key as it is. Returns the value that now stands.
   */
  update(
    key: string,
    change: (
      value: JsonValue | undefined,
    ) => JsonValue | undefined | Promise<JsonValue | undefined>,
  ): Promise<JsonValue | undefined>;
}

/** `host.kv`: the agent's durable keys and values. */
export function createKv(host: HostCaller): Kv {
  return {
    async get(key) {
      return (await host("kv.get", { key }))?.value;
    },
    async put(key, value) {
      await host("kv.put", { key, value: toJson(value, "value") });
    },
    async delete(key) {
      await host("kv.delete", { key });
    },
    async list(prefix = "") {
      return (await host("kv.list", { prefix })).keys;
    },
    async update(key, change) {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        if (attempt > 0) await delay(Math.random() * Math.min(5 * 2 ** attempt, 200));
        const before = await host("kv.get", { key });
        const next = await change(before?.value);
        if (next === undefined) return before?.value;
        const value = toJson(next, "value");
        const revision = before?.revision ?? null;
        if ((await host("kv.cas", { key, value, revision })).swapped) return value;
      }
      throw new CodedError("kv_conflict", `host.kv.update: ${key} is written too often by others.`);
    },
  };
}
