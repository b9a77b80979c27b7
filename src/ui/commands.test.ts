import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import {
  decideCommands,
  downloadCommands,
  listApprovalsCommand,
  listArtifactsCommand,
  sendCommands,
  shellQuote,
} from "./commands";

const throughShell = (argument: string): string =>
  execFileSync("/bin/sh", ["-c", `printf %s ${argument}`], { encoding: "utf8" });

describe("commands", () => {
  it("quotes any message so that a shell hands it on unchanged", () => {
    for (const text of ["plain", "it's $HOME", 'a "b" `c`', "two\nlines", "\\ back", "$(id)"]) {
      expect(throughShell(shellQuote(text))).toBe(text);
    }
  });

  it("starts a session, or follows up in one", () => {
    const target = { origin: "http://x", base: "/demo/weather" };
    const [curl, cli] = sendCommands(target, "it's raining");
    expect(curl?.command).toContain("http://x/demo/weather/v1/session ");
    expect(cli?.command).toBe("berth run --org demo --agent weather 'it'\\''s raining'");
    expect(sendCommands(target, "a", "ses_1")[0]?.command).toContain("/v1/session/ses_1 ");
  });

  it("decides about a call and lists what waits", () => {
    const target = { origin: "http://x", base: "/demo/deployer" };
    const [cli, curl] = decideCommands(target, "call_1", " it's fine ");
    expect(cli?.command).toBe(
      "berth approvals approve call_1 --org demo --agent deployer --reason 'it'\\''s fine'",
    );
    expect(curl?.command).toContain("/api/v1/orgs/demo/agents/deployer/approvals/call_1 ");
    expect(decideCommands(target, "call_1", " ")[1]?.command).toContain(
      `-d '{"decision":"approve"}'`,
    );
    expect(listApprovalsCommand("demo")).toBe("berth approvals --org demo");
    expect(listApprovalsCommand("demo", "a")).toBe("berth approvals --org demo --agent a");
  });

  it("lists and downloads artifacts", () => {
    const target = { origin: "http://x", base: "/demo/weather" };
    const [curl, cli] = downloadCommands(target, "art_1");
    expect(curl?.command).toContain("http://x/demo/weather/v1/artifacts/art_1/content ");
    expect(cli?.command).toBe("berth artifacts download art_1 --org demo --agent weather");
    expect(listArtifactsCommand("/demo/weather")).toBe(
      "berth artifacts list --org demo --agent weather",
    );
  });
});
