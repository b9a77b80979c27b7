import { describe, expect, it } from "vitest";
import { idSchema, Slug } from "./id";

describe("Slug", () => {
  it.each(["a", "Weather", "my-agent_2", "0x", "a".repeat(64)])("accepts %s", (slug) => {
    expect(Slug.safeParse(slug).success).toBe(true);
  });

  it.each([
    "",
    "-a",
    "_a",
    "a--b",
    "a.b",
    "a/b",
    "é",
    "V1",
    "Playground",
    "_next",
    "~",
    "a".repeat(65),
  ])("refuses %j", (slug) => {
    expect(Slug.safeParse(slug).success).toBe(false);
  });
});

describe("idSchema", () => {
  it("accepts its own kind only", () => {
    const session = idSchema("ses");
    const suffix = "01h455vb4pex5vsknk084sn02q";
    expect(session.safeParse(`ses_${suffix}`).success).toBe(true);
    expect(session.safeParse(`trn_${suffix}`).success).toBe(false);
    expect(session.safeParse(`ses_${suffix}0`).success).toBe(false);
  });
});
