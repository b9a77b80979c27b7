import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "./create-redactor";

describe("createRedactor", () => {
  test("replaces values of eight characters and leaves shorter ones", () => {
    const redactor = createRedactor({ LONG: "hunter2222", SHORT: "hunter2" });
    expect(redactor.text("hunter2222 hunter2")).toBe("[secret:LONG] hunter2");
  });

  test("replaces a value as JSON escapes it", () => {
    const value = 'line1\nline2"quoted"';
    const redactor = createRedactor({ PEM: value });
    expect(redactor.text(JSON.stringify({ value }))).toBe('{"value":"[secret:PEM]"}');
  });

  test("prefers the longest value, and shows no part of overlapping ones", () => {
    const redactor = createRedactor({ A: "abcdefgh", B: "abcdefghij", C: "ghijklmnop" });
    expect(redactor.text("<abcdefghij>")).toBe("<[secret:B]>");
    expect(redactor.text("<abcdefghijklmnop>")).toBe("<[secret:B]>");
    expect(redactor.text("abcdefghabcdefgh")).toBe("[secret:A][secret:A]");
  });

  test("reaches keys, nested values and numbers of JSON", () => {
    const redactor = createRedactor({ T: "topsecret1", N: "123456789" });
    expect(
      redactor.json({ topsecret1: [{ a: "x topsecret1" }, 123456789, 1, null, true] }),
    ).toEqual({ "[secret:T]": [{ a: "x [secret:T]" }, "[secret:N]", 1, null, true] });
  });

  test("a stream holds back only a tail that may begin a secret", () => {
    const stream = createRedactor({ T: "topsecret1" }).stream();
    expect(stream.push("hello top")).toBe("hello ");
    expect(stream.push("ic and to")).toBe("topic and ");
    expect(stream.push("psecret1!")).toBe("[secret:T]!");
    expect(stream.push("tops")).toBe("");
    expect(stream.flush()).toBe("tops");
  });

  test("a stream of endless overlapping secrets keeps little back", () => {
    const stream = createRedactor({ A: "aaaaaaaa" }).stream();
    let out = "";
    for (let i = 0; i < 2000; i += 1) out += stream.push("aaaa");
    expect(out + stream.flush()).toBe("[secret:A]");
  });

  test("whatever the chunk borders, a stream says what the whole text says", () => {
    const letters = fc.constantFrom("a", "b", '"', "\n");
    const word = (min: number, max: number) =>
      fc.array(letters, { minLength: min, maxLength: max }).map((all) => all.join(""));
    fc.assert(
      fc.property(
        fc.array(word(8, 12), { minLength: 1, maxLength: 4 }),
        fc.array(fc.oneof(word(0, 12), fc.nat(3)), { maxLength: 12 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
        (secrets, parts, sizes) => {
          const values = Object.fromEntries(secrets.map((value, i) => [`S${i}`, value]));
          const redactor = createRedactor(values);
          const text = parts
            .map((part) => (typeof part === "number" ? (secrets[part] ?? "") : part))
            .join("");
          const stream = redactor.stream();
          let out = "";
          for (let at = 0; at < text.length; ) {
            const size = sizes.next().value;
            out += stream.push(text.slice(at, at + size));
            at += size;
          }
          out += stream.flush();
          expect(out).toBe(redactor.text(text));
          for (const secret of secrets) expect(out).not.toContain(secret);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
