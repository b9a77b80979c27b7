/** A text that must not appear, and what stands in its place. */
export interface Pattern {
  text: string;
  label: string;
}

/** Shorter values would hide ordinary words. */
const MIN_CHARACTERS = 8;

/** A value as it is, and as it stands inside JSON text. */
const formsOf = (value: string): string[] => [value, JSON.stringify(value).slice(1, -1)];

/** The patterns of named values, longest first; of equal texts the first name stays. */
export function secretPatterns(values: Readonly<Record<string, string>>): Pattern[] {
  const byText = new Map<string, Pattern>();
  for (const [name, value] of Object.entries(values)) {
    if ([...value].length < MIN_CHARACTERS) continue;
    for (const text of formsOf(value)) {
      if (!byText.has(text)) byText.set(text, { text, label: `[secret:${name}]` });
    }
  }
  return [...byText.values()].sort((a, b) => b.text.length - a.text.length);
}
