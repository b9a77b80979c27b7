const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A non-negative number in base62, padded with zeros to at least `length` digits. */
export function toBase62(value: bigint, length: number): string {
  let text = "";
  for (let rest = value; rest > 0n; rest /= 62n) text = DIGITS.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, "0");
}

/** The inverse of `toBase62`; the text must hold base62 digits only. */
export function fromBase62(text: string): bigint {
  let value = 0n;
  for (const digit of text) value = value * 62n + BigInt(DIGITS.indexOf(digit));
  return value;
}
