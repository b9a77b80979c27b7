/** Extensions of types whose files people open; others are named as they are. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  "application/json": ".json",
  "application/pdf": ".pdf",
  "application/zip": ".zip",
  "image/jpeg": ".jpg",
  "image/png": ".png",
  "image/svg+xml": ".svg",
  "image/webp": ".webp",
  "text/csv": ".csv",
  "text/html": ".html",
  "text/markdown": ".md",
  "text/plain": ".txt",
};
const LONGEST = 150;

/** A file name of what a tenant called its artifact: no path, no controls, with an extension. */
export function downloadName(title: string, contentType: string): string {
  const plain = title
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
    .replace(/[\u0000-\u001f\u007f-\u009f/\\:*?"<>|\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, "_")
    .replace(/^\.+/, "_")
    .trim();
  const name = [...plain].slice(0, LONGEST).join("") || "artifact";
  if (/\.[A-Za-z0-9]{1,8}$/.test(name)) return name;
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return name + (Object.hasOwn(EXTENSIONS, type) ? EXTENSIONS[type] : "");
}
