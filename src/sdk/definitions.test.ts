import { afterEach, expect, test } from "vitest";
import { defaultGitHubAuth, parseGitHubPrContinuationKey } from "./channels/github";
import { defaultSlackAuth } from "./channels/slack";
import { decide } from "./extensions/jev";
import { memoryHook } from "./memory";
import { PLATFORM, type Platform } from "./platform";

const platforms = globalThis as { [PLATFORM]?: Platform };
afterEach(() => {
  delete platforms[PLATFORM];
});

const ctx = { thread: { post: () => Promise.resolve() } };

test("continuation keys of pull requests are parsed strictly", () => {
  expect(parseGitHubPrContinuationKey("pr:acme/check.out#42")).toEqual({
    owner: "acme",
    repo: "check.out",
    number: 42,
  });
  for (const key of ["acme/x#1", "pr:acme/x#0", "pr:acme/x", "pr:a/b/c#1", "pr:acme/x#1 "]) {
    expect(parseGitHubPrContinuationKey(key)).toBeNull();
  }
});

test("default principals use ids, names are only labels", () => {
  const message = { body: "", text: "", channelId: "C", teamId: "T" };
  expect(defaultSlackAuth({ ...message, author: { id: "U", name: "Ann" } }, ctx)).toEqual({
    platform: "slack",
    id: "T:U",
    label: "Ann",
  });
  expect(defaultSlackAuth({ ...message, author: { id: "U", isBot: true } }, ctx)).toBeNull();
  expect(defaultSlackAuth(message, ctx)).toBeNull();
  const repository = { fullName: "acme/x" };
  expect(defaultGitHubAuth({ repository, sender: { id: 7, login: "ann" } }).id).toBe("7");
});

test("memoryHook tells options from a backend", () => {
  const backend = new Map();
  expect(memoryHook().memory).toEqual({ scope: "principal" });
  expect(memoryHook({ scope: "agent" }).memory).toEqual({ scope: "agent" });
  expect(memoryHook({ backend }).memory?.backend).toBe(backend);
  expect(memoryHook({ recall: () => [] }).memory?.backend).toBeDefined();
});

test("decide asks the platform and refuses answers outside the choices", async () => {
  await expect(decide({ question: "?", choices: ["a"] })).rejects.toThrow("inside a running");
  platforms[PLATFORM] = {
    call: (_method, params) => Promise.resolve((params as { input: string }).input),
  };
  await expect(decide({ question: "?", choices: ["a", "b"], input: "b" })).resolves.toBe("b");
  await expect(decide({ question: "?", choices: ["a"], input: "z" })).rejects.toThrow("none of");
});
