import { expect, test } from "vitest";
import type { NewEvent } from "../../protocol/event";
import { mergeDeltas } from "./merge-deltas";

const said = (blockId: string, delta: string): NewEvent => ({
  type: "message.appended",
  data: { step: 0, blockId, delta },
});
const thought = (blockId: string, delta: string): NewEvent => ({
  type: "reasoning.appended",
  data: { step: 0, blockId, delta },
});

test("neighbours of one block become one, others stay in order", () => {
  const buffer: NewEvent[] = [];
  const all = [
    thought("a", "1"),
    thought("a", "2"),
    said("b", "3"),
    said("b", "4"),
    said("c", "5"),
  ];
  for (const delta of all) mergeDeltas(buffer, delta);
  expect(buffer).toEqual([thought("a", "12"), said("b", "34"), said("c", "5")]);
});

test("a delta never grows without end", () => {
  const buffer: NewEvent[] = [];
  for (let i = 0; i < 3; i++) mergeDeltas(buffer, said("a", "x".repeat(40_000)));
  expect(buffer).toHaveLength(3);
});
