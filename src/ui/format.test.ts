import { describe, expect, it } from "vitest";
import {
  formatAgo,
  formatBytes,
  formatCost,
  formatCount,
  formatDuration,
  formatUtc,
} from "./format";

const NOW = Date.UTC(2026, 10, 30, 22, 0, 0);
const ago = (ms: number) => formatAgo(new Date(NOW - ms), NOW);

describe("formats", () => {
  it("says how long ago in one unit", () => {
    expect([ago(1000), ago(59_000), ago(60_000), ago(3_599_000)]).toEqual([
      "just now",
      "59s ago",
      "1m ago",
      "59m ago",
    ]);
    expect([ago(3_600_000), ago(86_400_000 * 59), ago(86_400_000 * 800)]).toEqual([
      "1h ago",
      "59d ago",
      "2y ago",
    ]);
    expect(ago(-90_000)).toBe("in 1m");
  });

  it("never shows a duration of zero", () => {
    expect([0, 0.2, 840, 999.9, 3249, 59_999, 245_000, 7_800_000].map(formatDuration)).toEqual([
      "<1 ms",
      "<1 ms",
      "840 ms",
      "1000 ms",
      "3.2 s",
      "59.9 s",
      "4m 05s",
      "2h 10m",
    ]);
  });

  it("shortens counts and keeps small sums readable", () => {
    expect([999, 1000, 12_449, 999_949, 1_000_000].map(formatCount)).toEqual([
      "999",
      "1k",
      "12.4k",
      "999.9k",
      "1M",
    ]);
    expect([0, 0.000123, 0.5, 12].map(formatCost)).toEqual(["$0", "$0.00012", "$0.50", "$12.00"]);
  });

  it("writes a moment in UTC", () => {
    expect(formatUtc(new Date(NOW))).toBe("2026-11-30 22:00:00 UTC");
  });

  it("says sizes in one unit", () => {
    expect(
      [0, 1023, 1024, 1536, 1024 * 1023.9, 1024 * 1024, 64 * 1024 ** 2].map(formatBytes),
    ).toEqual(["0 B", "1023 B", "1 KiB", "1.5 KiB", "1023.9 KiB", "1 MiB", "64 MiB"]);
  });
});
