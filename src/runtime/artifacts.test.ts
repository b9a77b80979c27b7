import { expect, test } from "vitest";
import { z } from "zod";
import { type ArtifactTag, createArtifacts } from "./artifacts";
import type { Bundle } from "./definitions";
import type { HostCaller } from "./host-calls";

const MIB = 1024 * 1024;

const bundleOf = (kinds?: object): Bundle => ({
  definitions: kinds ? { artifacts: () => Promise.resolve({ default: { kinds } }) } : {},
  files: {},
});

/** Artifacts whose host notes what it is asked. */
function artifactsOf(kinds?: object) {
  const asked: { method: string; params: Record<string, unknown> }[] = [];
  const host = ((method: string, params: Record<string, unknown>) => {
    asked.push({ method, params });
    return Promise.resolve(method === "artifacts.list" ? { artifacts: [] } : { upload: "up" });
  }) as HostCaller;
  return { asked, artifacts: createArtifacts(host, bundleOf(kinds)) };
}

const bytesOf = (base64: unknown): number => Buffer.from(String(base64), "base64").length;

test("text and bytes travel as base64, and what is not given does not travel", async () => {
  const { asked, artifacts } = artifactsOf();
  await artifacts.tag({ kind: "k", key: "a", contents: "caf\u00e9" });
  await artifacts.tag({ kind: "k", key: "b", contents: new Uint8Array([1, 2, 3]).subarray(1) });
  await artifacts.tag({ kind: "k", key: "c" });
  expect(asked.map(({ params }) => params)).toEqual([
    { kind: "k", key: "a", base64: Buffer.from("caf\u00e9").toString("base64") },
    { kind: "k", key: "b", base64: "AgM=" },
    { kind: "k", key: "c" },
  ]);
});

test("4 MiB go with the call, more in parts before it, up to 64 MiB", async () => {
  const { asked, artifacts } = artifactsOf();
  const tag = (bytes: number) =>
    artifacts.tag({ kind: "k", key: "k", contents: new Uint8Array(bytes) });
  await tag(4 * MIB);
  expect(asked.splice(0).map(({ method }) => method)).toEqual(["artifacts.tag"]);
  await tag(4 * MIB + 1);
  const [begin, first, second, last] = asked.splice(0);
  expect(begin?.method).toBe("artifacts.begin");
  expect(first?.params.upload).toBe("up");
  expect([bytesOf(first?.params.base64), bytesOf(second?.params.base64)]).toEqual([4 * MIB, 1]);
  expect(last).toEqual({ method: "artifacts.tag", params: { kind: "k", key: "k", upload: "up" } });
  await tag(64 * MIB);
  expect(asked.splice(0).filter(({ method }) => method === "artifacts.part")).toHaveLength(16);
  await expect(tag(64 * MIB + 1)).rejects.toMatchObject({ code: "body_too_large" });
  expect(asked).toEqual([]);
});

test.each([
  ["zod", z.object({ n: z.number().default(3) })],
  [
    "JSON Schema",
    { type: "object", properties: { n: { type: "number" } }, additionalProperties: false },
  ],
])(
  "data is checked against its kind's schema in %s, before anything is sent",
  async (_, schema) => {
    const { asked, artifacts } = artifactsOf({ report: { schema }, free: {} });
    await artifacts.tag({ kind: "report", key: "k", data: { n: 1 } });
    expect(asked.splice(0)).toMatchObject([{ params: { data: { n: 1 } } }]);
    await expect(
      artifacts.tag({ kind: "report", key: "k", data: { n: "x" } }),
    ).rejects.toMatchObject({ code: "invalid_artifact", message: expect.stringContaining("n: ") });
    expect(asked).toEqual([]);
    await artifacts.tag({ kind: "free", key: "k", data: "anything" });
    await artifacts.tag({ kind: "constructor", key: "k", data: "anything" });
    expect(asked).toHaveLength(2);
  },
);

test("a schema's defaults are in the data that is kept", async () => {
  const schema = z.object({ n: z.number().default(3) });
  const { asked, artifacts } = artifactsOf({ report: { schema } });
  await artifacts.tag({ kind: "report", key: "k", data: {} });
  expect(asked).toMatchObject([{ params: { data: { n: 3 } } }]);
});

test("what JSON cannot hold, and contents of another type, are refused", async () => {
  const { artifacts } = artifactsOf();
  const tag = (more: object) => artifacts.tag({ kind: "k", key: "k", ...more } as ArtifactTag);
  await expect(tag({ data: new Map() })).rejects.toMatchObject({ code: "not_json" });
  await expect(tag({ contents: 7 })).rejects.toMatchObject({ code: "invalid_request" });
});

test("list passes its filter on", async () => {
  const { asked, artifacts } = artifactsOf();
  expect(await artifacts.list()).toEqual([]);
  await artifacts.list({ kind: "a", key: "b" });
  expect(asked.map(({ params }) => params)).toEqual([{}, { kind: "a", key: "b" }]);
});
