import { expect, test } from "vitest";
import { type ModelSource, resolveModel } from "./resolve-model";

const source = (change: Partial<ModelSource> = {}): ModelSource => ({
  agent: "weather",
  providers: [],
  agentEnv: {},
  offlineModel: false,
  fetch: globalThis.fetch,
  ...change,
});
const setting = (id: string, params = {}) => ({ id, params });

test("an id names its provider", () => {
  const agentEnv = {
    XAI_API_KEY: "k",
    OPENAI_API_KEY: "k",
    ANTHROPIC_API_KEY: "k",
    GEMINI_API_KEY: "k",
  };
  const providerOf = (id: string) => resolveModel(setting(id), source({ agentEnv })).provider;
  expect(["grok-4", "gpt-5", "o3", "claude-sonnet-4-5", "gemini-2.5-pro"].map(providerOf)).toEqual([
    "xai",
    "openai",
    "openai",
    "anthropic",
    "google",
  ]);
});

test("a named provider of the org serves the model after the slash", () => {
  const providers = [
    { name: "local", kind: "openai-compatible" as const, baseUrl: "http://127.0.0.1:1/v1" },
  ];
  const model = resolveModel(setting("local/org/llama"), source({ providers }));
  expect(model).toMatchObject({
    label: "local/org/llama",
    provider: "local",
    modelId: "org/llama",
  });
});

test("what is missing is said with the command that sets it", () => {
  const resolve = (id: string) => () => resolveModel(setting(id), source());
  expect(resolve("grok-4")).toThrow("berth models set xai --kind xai");
  expect(resolve("grok-4")).toThrow("berth secrets set weather XAI_API_KEY");
  expect(resolve("local/llama")).toThrow("berth models set local --kind openai-compatible");
  expect(resolve("mystery")).toThrow("<provider>/<model>");
});

test("the offline model stands in only where it may", () => {
  const allowed = source({ offlineModel: true });
  expect(resolveModel(setting("grok-4"), allowed).label).toBe("berth/offline");
  expect(resolveModel(setting("berth/offline"), source()).label).toBe("berth/offline");
  const withKey = source({ offlineModel: true, agentEnv: { XAI_API_KEY: "k" } });
  expect(resolveModel(setting("grok-4"), withKey).label).toBe("grok-4");
});

test("parameters become options of the provider, unknown ones with a warning", () => {
  const params = { effort: "high", fast: true, temperature: 0.2, novel: 1 };
  const agentEnv = { OPENAI_API_KEY: "k" };
  const model = resolveModel(setting("gpt-5", params), source({ agentEnv }));
  expect(model.settings).toEqual({ temperature: 0.2 });
  expect(model.providerOptions).toEqual({
    openai: { reasoningEffort: "high", serviceTier: "priority", novel: 1 },
  });
  expect(model.warnings).toHaveLength(1);
});
