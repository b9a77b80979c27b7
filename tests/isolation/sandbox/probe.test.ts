import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requireBubblewrap, SandboxHarness } from "../../support/sandbox";

const usable = requireBubblewrap();

describe.skipIf(!usable)("the probe", () => {
  let harness: SandboxHarness;
  const path = process.env.PATH;

  beforeAll(async () => {
    harness = await SandboxHarness.open({ driver: "bwrap" });
  });
  afterAll(() => harness?.close());

  test("passes here and says how strong the walls are", async () => {
    expect(await harness.driver.probe()).toMatchObject({
      strength: "namespace",
      egress: "enforced",
      perTenantUid: process.getuid?.() === 0,
      reasons: expect.arrayContaining([expect.stringContaining("memory")]),
    });
  });

  test("fails closed where bubblewrap is missing, naming the command that installs it", async () => {
    const empty = await mkdtemp(join(tmpdir(), "berth-empty-"));
    process.env.PATH = empty;
    try {
      await expect(harness.driver.probe()).rejects.toMatchObject({
        code: "sandbox_failed",
        message: expect.stringContaining("bubblewrap"),
      });
    } finally {
      process.env.PATH = path;
      await rm(empty, { recursive: true });
    }
  });

  test("reports a sandbox that does not hold", async () => {
    const { probeBwrap } = await import("../../../src/server/sandbox/bwrap-probe");
    const open = await SandboxHarness.open({ driver: "unsafe-process" });
    await expect(probeBwrap((spec, host) => open.driver.start(spec, host))).rejects.toThrow(
      /not tight.*read a file of the host.*reach a port of the host/s,
    );
    await open.close();
  });
});
