import { expect, test } from "vitest";
import { UidPool } from "./uid-pool";

test("an owner keeps its user id, others never share it while it is held", () => {
  const pool = new UidPool();
  const uids = new Set(Array.from({ length: 2000 }, (_, i) => pool.acquire(`org/${i}`)));
  expect(uids.size).toBe(2000);
  expect(pool.acquire("org/7")).toBe(pool.acquire("org/7"));
});

test("a user id is free again only after its last release", () => {
  const pool = new UidPool();
  const first = pool.acquire("a");
  pool.acquire("a");
  pool.release(first);
  expect(pool.acquire("a")).toBe(first);
});
