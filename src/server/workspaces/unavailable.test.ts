import { rename } from "node:fs/promises";
import { expect, it } from "vitest";
import { unavailable } from "./unavailable";

it("says what the system said, and none of the host's paths", async () => {
  const failing = rename("/nowhere/of/the/host", "/nowhere/else").catch(unavailable);
  await expect(failing).rejects.toMatchObject({
    code: "workspace_unavailable",
    message: "The session's workspace could not be prepared: ENOENT: no such file or directory.",
  });
});

it("passes on what other errors say", () => {
  expect(() => unavailable(new Error("a file is gone"))).toThrow(/a file is gone/);
});
