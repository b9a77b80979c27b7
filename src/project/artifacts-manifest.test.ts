import { expect, test } from "vitest";
import type { DescribedDefinition } from "../protocol/description";
import { artifactsManifest } from "./artifacts-manifest";
import type { Join } from "./described";

function joinOf(data: unknown) {
  const definition = {
    ...{ key: "artifacts", kind: "artifacts", name: "artifacts", file: "bot/artifacts.ts" },
    ...{ ok: true, data, exports: ["default"], warnings: [] },
  } as DescribedDefinition;
  const description = { definitions: [definition] };
  const join = { description, diagnostics: [], scan: { keyLines: {} } };
  return join as unknown as Join;
}

test("kinds are listed with what they are for and how long they are kept", () => {
  const schema = { $berth: "schema" };
  const kinds = { report: { description: "A report.", schema }, draft: { retention: "30d" } };
  expect(artifactsManifest(joinOf({ kinds, agentTool: true, max: 5 }))).toEqual({
    artifacts: {
      file: "bot/artifacts.ts",
      kinds: ["report", "draft"],
      agentTool: true,
      descriptions: { report: "A report." },
      retentionMs: { draft: 30 * 86_400_000 },
      max: 5,
    },
  });
});

test("agentTool is off, and versions are kept, unless it says otherwise", () => {
  const { artifacts } = artifactsManifest(joinOf({ kinds: { k: {} } }));
  expect(artifacts).toMatchObject({ agentTool: false });
  expect(artifacts).not.toHaveProperty("max");
});

test.each(["1s", "3650d"])("a retention of %s is one", (retention) => {
  const join = joinOf({ kinds: { k: { retention } } });
  expect(artifactsManifest(join).artifacts?.retentionMs).toHaveProperty("k");
});

test.each([
  [{ kinds: { k: { retention: "0d" } } }],
  [{ kinds: { k: { retention: "3651d" } } }],
  [{ kinds: { k: { retention: "soon" } } }],
  [{ kinds: { "": {} } }],
  [{ kinds: { k: {} }, max: 0 }],
  [{ kinds: { k: "x" } }],
  [{}],
])("%j is not a registry", (data) => {
  const join = joinOf(data);
  expect(artifactsManifest(join)).toEqual({});
  expect(join.diagnostics.map(({ code }) => code)).toEqual(["invalid_definition"]);
});
