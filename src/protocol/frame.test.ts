import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeFrame, FrameReader, MAX_FRAME_DEPTH } from "./frame";

test("frames survive being cut anywhere", () => {
  fc.assert(
    fc.property(
      fc.array(fc.json({ maxDepth: 5 }), { maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }),
      (texts, sizes) => {
        const messages = texts.map((text) => JSON.parse(text) as unknown);
        const bytes = Buffer.concat(messages.map(encodeFrame));
        const reader = new FrameReader(1024 * 1024);
        const read: unknown[] = [];
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = sizes[i % sizes.length]!;
          read.push(...reader.push(bytes.subarray(at, at + size)));
          at += size;
        }
        expect(read).toEqual(messages);
      },
    ),
  );
});

test("a header above the limit is refused before its body arrives", () => {
  const reader = new FrameReader(8);
  expect(() => reader.push(Uint8Array.of(9, 0, 0, 0))).toThrow("too large");
});

test("nesting is bounded, brackets inside strings do not count", () => {
  const nested = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels)) as unknown;
  const read = (message: unknown) => new FrameReader(1 << 20).push(encodeFrame(message));
  expect(read(nested(MAX_FRAME_DEPTH))).toHaveLength(1);
  expect(() => read(nested(MAX_FRAME_DEPTH + 1))).toThrow("nested");
  expect(read('["\\'.repeat(500))).toHaveLength(1);
});

test("what is not JSON or not UTF-8 is refused", () => {
  const raw = (...body: number[]) => Uint8Array.of(body.length, 0, 0, 0, ...body);
  expect(() => new FrameReader(100).push(raw(0x7b))).toThrow("not JSON");
  expect(() => new FrameReader(100).push(raw(0x22, 0xff, 0x22))).toThrow("not JSON");
});
