import { expect, test } from "vitest";
import type { CallSession } from "../protocol/runtime-rpc";
import { instructionsText } from "./instructions";

const session: CallSession = {
  ...{ id: "ses_1", channel: "http", mode: "chat", dryRun: false },
  auth: { principal: "user:u" },
};
const load = (value: unknown) => () => Promise.resolve({ default: value });
const textOf = (instructions: unknown, agent?: unknown) =>
  instructionsText(
    {
      definitions: {
        ...(instructions === undefined ? {} : { instructions: load(instructions) }),
        ...(agent === undefined ? {} : { agent: load(agent) }),
      },
      files: {},
    },
    session,
  );

test.each([
  ["a string", "Be brief."],
  ["what defineInstructions answers", { markdown: "Be brief." }],
  ["a function of the turn", () => "Be brief."],
  ["a function that takes its time", () => Promise.resolve("Be brief.")],
  ["a function that answers a definition", () => ({ markdown: "Be brief." })],
])("%s is the system prompt", async (_name, form) => {
  expect(await textOf(form)).toBe("Be brief.");
});

test("a function is told the session, and cannot change it", async () => {
  const form = ({ session: told }: { session: CallSession }) => {
    const text = `For ${told.auth.principal} in ${told.id}.`;
    told.id = "other";
    return text;
  };
  expect(await textOf(form)).toBe("For user:u in ses_1.");
  expect(session.id).toBe("ses_1");
});

test("without a module of their own they are the agent's", async () => {
  expect(await textOf(undefined, { instructions: "Inline." })).toBe("Inline.");
  expect(await textOf("Own.", { instructions: "Inline." })).toBe("Own.");
  expect(await textOf(undefined, {})).toBe("");
});

test("what is no text is said to be none", async () => {
  await expect(textOf(7)).rejects.toThrow("not a text");
});
