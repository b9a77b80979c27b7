import { expect, test } from "vitest";
import { downloadName } from "./download-name";

test.each([
  ["Report", "text/markdown; charset=utf-8", "Report.md"],
  ["report.csv", "text/plain", "report.csv"],
  ["week 1.5 of it", "application/json", "week 1.5 of it.json"],
  ["../../etc/passwd", "application/octet-stream", "__.._etc_passwd"],
  ["C:\\x\u0000\ny", "image/png", "C_x_y.png"],
  [".htaccess", "text/plain", "_htaccess.txt"],
  ["\u202egpj.exe", "image/jpeg", "_gpj.exe"],
  ["   ", "text/plain", "artifact.txt"],
  ["caf\u00e9 \u{1f980}", "constructor/x", "caf\u00e9 \u{1f980}"],
  ["x".repeat(200), "text/html", `${"x".repeat(150)}.html`],
  ["lone \ud800", "text/plain", "lone \ufffd.txt"],
])("%j of type %s is saved as %j", (title, type, name) => {
  expect(downloadName(title, type)).toBe(name);
});
