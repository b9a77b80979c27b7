import type { FileContent } from "../../protocol/shell-rpc";

/** Most characters of one answer, and of one of its lines. */
const MAX_TEXT = 1024 * 1024;
const MAX_LINE = 64 * 1024;

/** Keeps some of the lines of a text that passes by, and counts all of them. */
export class TextWindow {
  private readonly lines: string[] = [];
  private kept = 0;
  private line = "";
  private inLine = false;
  private number = 1;
  private cut = false;

  constructor(
    private readonly first: number,
    private readonly limit: number,
  ) {}

  add(text: string): void {
    let at = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", at)) {
      this.extend(text, at, end);
      this.endLine();
      at = end + 1;
    }
    if (at < text.length) this.extend(text, at, text.length);
  }

  content(): FileContent {
    if (this.inLine) this.endLine();
    const totalLines = this.number - 1;
    const truncated = this.cut || this.lines.length < totalLines;
    return {
      ...{ type: "text", text: this.lines.join("\n"), firstLine: this.first },
      ...{ lineCount: this.lines.length, totalLines, truncated },
    };
  }

  private get wanted(): boolean {
    const { number, first, limit } = this;
    return number >= first && number < first + limit && this.kept < MAX_TEXT;
  }

  private extend(text: string, from: number, to: number): void {
    this.inLine = true;
    if (!this.wanted) return;
    const room = MAX_LINE - this.line.length;
    if (to - from > room) this.cut = true;
    this.line += text.slice(from, Math.min(to, from + room));
  }

  private endLine(): void {
    if (this.wanted) {
      this.lines.push(this.line);
      this.kept += this.line.length + 1;
    }
    this.line = "";
    this.inLine = false;
    this.number++;
  }
}
