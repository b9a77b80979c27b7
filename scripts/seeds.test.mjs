import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** Parts of the work whose rows must each name a test. */
const DELIVERED = new Set(["A", "B"]);

const rows = readFileSync("tests/seeds.csv", "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => {
    const cells = [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell]) =>
      cell.replace(/^"|"$/g, "").replaceAll('""', '"'),
    );
    return { page: cells[0], row: cells[1], due: cells[2], test: cells[3] };
  });

const sources = ["src", "tests"].flatMap((root) =>
  readdirSync(root, { recursive: true })
    .filter((path) => /\.test\.tsx?$/.test(path))
    .map((path) => readFileSync(join(root, path), "utf8")),
);

test("every row of the reference pages is listed once", () => {
  const keys = rows.map(({ page, row, due }) => `${page} ${row} ${due}`);
  expect(rows.length).toBeGreaterThan(100);
  expect(keys.filter((key) => key.startsWith(" "))).toEqual([]);
});

test("every delivered row names a test", () => {
  const open = rows.filter(({ due, test: name }) => DELIVERED.has(due) && !name);
  expect(open.map(({ page, row }) => `${page}: ${row}`)).toEqual([]);
});

test("every named test exists", () => {
  const named = [...new Set(rows.map(({ test: name }) => name).filter(Boolean))];
  expect(named.filter((name) => !sources.some((text) => text.includes(name)))).toEqual([]);
});
