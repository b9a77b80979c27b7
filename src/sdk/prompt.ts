const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Fills in the values, drops the newline after the opening backtick, removes the common indent. */
const dedentedLines = (strings: TemplateStringsArray, values: unknown[]): string[] => {
  const text = strings.reduce((all, part, i) => all + String(values[i - 1]) + part);
  const lines = text.replace(/^[ \t]*\r?\n/, "").split(/\r?\n/);
  if (lines.length > 1 && lines.at(-1)?.trim() === "") lines.pop();
  const indents = lines.filter((line) => line.trim() !== "").map(indentOf);
  const common = indents.length === 0 ? 0 : Math.min(...indents);
  return lines.map((line) => (line.trim() === "" ? "" : line.slice(common)));
};

const joined = (strings: TemplateStringsArray, ...values: unknown[]): string =>
  dedentedLines(strings, values).join("\n");

const lines = (strings: TemplateStringsArray, ...values: unknown[]): string[] =>
  dedentedLines(strings, values);

/**
 * Template tag for text that sits indented in code: `prompt` answers one dedented string,
 * `prompt.lines` one entry per line. Blank lines and relative indentation are kept.
 */
export const prompt = Object.assign(joined, { lines });
