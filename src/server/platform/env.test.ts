import { describe, expect, it } from "vitest";
import { publicUrl, readEnv } from "./env";

const good = {
  DATABASE_URL: "postgresql://berth_app@127.0.0.1/berth",
  BERTH_SECRET: "s".repeat(32),
  BERTH_MASTER_KEY: Buffer.alloc(32, 1).toString("base64"),
  BERTH_INTERNAL_TOKEN: "t".repeat(16),
};

describe("readEnv", () => {
  it("fills the defaults", () => {
    const env = readEnv(good);
    expect(env.BERTH_PORT).toBe(3000);
    expect(publicUrl(env)).toBe("http://127.0.0.1:3000");
  });

  it("names every wrong variable and prints no value", () => {
    const wrong = { ...good, BERTH_SECRET: "short-secret", BERTH_MASTER_KEY: "bm90MzI=" };
    const read = () => readEnv(wrong);
    expect(read).toThrow(/BERTH_SECRET/);
    expect(read).toThrow(/BERTH_MASTER_KEY/);
    expect(read).not.toThrow(/short-secret/);
  });

  it("takes a Redis by its URL, none when it is empty, and nothing else", () => {
    const redis = (url: string) => readEnv({ ...good, REDIS_URL: url }).REDIS_URL;
    expect(redis("rediss://:word@cache.example:6380/2")).toBe(
      "rediss://:word@cache.example:6380/2",
    );
    expect(redis("")).toBeUndefined();
    expect(() => redis("cache.example:6379")).toThrow(/REDIS_URL/);
    expect(() => redis("https://cache.example")).toThrow(/REDIS_URL/);
  });

  it("takes the public address without its trailing slash", () => {
    expect(publicUrl(readEnv({ ...good, BERTH_URL: "https://berth.example/" }))).toBe(
      "https://berth.example",
    );
  });
});
