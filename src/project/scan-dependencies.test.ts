import { expect, test } from "vitest";
import { temporaryProject } from "../../tests/support/temporary-project";
import { scanProject } from "./scan-project";

const project = temporaryProject();

/** The scan of a project with this package.json, and a lock file. */
async function scan(packageJson: string) {
  await project.write({
    "bot/instructions.md": "Be brief.",
    "package.json": packageJson,
    "package-lock.json": "{}",
  });
  return scanProject(project.dir, new Date("2026-01-01T00:00:00Z"));
}

test.each([
  ["git+https://x.test/a.git", false],
  ["git@github.com:acme/a.git", false],
  ["github:acme/a", false],
  ["acme/a#main", false],
  ["https://x.test/a.tgz", false],
  ["file:../a", false],
  ["file:/a", false],
  ["link:./a", false],
  ["file:./vendor/a", true],
  ["^1.2.3", true],
  ["npm:b@1", true],
  ["latest", true],
])("a dependency on %s: accepted %s", async (range, accepted) => {
  const { diagnostics } = await scan(`{\n  "dependencies": {\n    "a": "${range}"\n  }\n}`);
  const found = diagnostics.map(({ code, line }) => `${code} ${line}`);
  expect(found).toEqual(accepted ? [] : ["unsupported_dependency 3"]);
});

test("what Berth provides is not a dependency, and the range of Zod decides its version", async () => {
  const found = await scan('{ "dependencies": { "@cursor/bdk": "github:x/y", "zod": "^3.23.8" } }');
  expect(found).toMatchObject({ dependencies: {}, zod: "3", diagnostics: [] });
  expect((await scan('{ "dependencies": { "zod": "^3.25 || ^4" } }')).zod).toBe("4");
});
