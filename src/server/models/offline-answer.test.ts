import { expect, test } from "vitest";
import { offlineAnswer } from "./offline-answer";

const weather = {
  name: "get_weather",
  description: "Current conditions of a place",
  inputSchema: {
    type: "object",
    properties: {
      city: { type: "string" },
      unit: { type: "string", enum: ["celsius", "fahrenheit"] },
      days: { type: "integer" },
    },
    required: ["city", "unit", "days"],
  },
};
const clock = { name: "clock", description: "Tells the time", inputSchema: { type: "object" } };
const ask = (message: string, results: Parameters<typeof offlineAnswer>[0]["results"] = []) =>
  offlineAnswer({ message, tools: [clock, weather], results });

test("it picks the tool that shares words with the message and fills its input", () => {
  expect(ask("Show 3 days of weather, fahrenheit, in San Francisco?")).toEqual({
    kind: "call",
    toolName: "get_weather",
    input: { city: "San Francisco", unit: "fahrenheit", days: 3 },
  });
});

test("the agent's own tools go before the harness, which has to be named", () => {
  const shell = { name: "shell", description: "Run the weather clock", inputSchema: {} };
  const answer = (message: string) =>
    offlineAnswer({ message, tools: [shell, clock, weather], results: [] });
  expect(answer("weather in Rome")).toMatchObject({ toolName: "get_weather" });
  expect(answer("shell weather")).toMatchObject({ toolName: "get_weather" });
  expect(answer("run it")).toMatchObject({ kind: "text" });
  expect(answer("use the shell")).toMatchObject({ toolName: "shell" });
  const text = answer("hello");
  expect(text.kind === "text" && text.text).toContain("does: clock, get_weather.");
});

test("it answers from the last result", () => {
  const results = [{ toolName: "get_weather", output: '{"sky":"clear"}', isError: false }];
  expect(ask("weather in Rome", results)).toEqual({
    kind: "text",
    text: 'get_weather answered: {"sky":"clear"}',
  });
});

test("without a fitting tool it says what it is and what it can do", () => {
  const answer = ask("hello");
  expect(answer.kind).toBe("text");
  expect(answer.kind === "text" && answer.text).toContain("offline demo model");
  expect(answer.kind === "text" && answer.text).toContain("clock, get_weather");
});

test("words about when and how are not what is asked for", () => {
  const answer = ask("weather in Rome for today, please");
  expect(answer.kind === "call" && answer.input.city).toBe("Rome");
});
