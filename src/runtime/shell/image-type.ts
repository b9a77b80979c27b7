const SIGNATURES: readonly { mimeType: string; at: number; bytes: string }[] = [
  { mimeType: "image/png", at: 0, bytes: "89504e470d0a1a0a" },
  { mimeType: "image/jpeg", at: 0, bytes: "ffd8ff" },
  { mimeType: "image/gif", at: 0, bytes: "47494638" },
  { mimeType: "image/webp", at: 8, bytes: "57454250" },
];

/** The image format that a file's first bytes announce, of those that models can see. */
export const imageType = (head: Buffer): string | undefined =>
  SIGNATURES.find(({ at, bytes }) => {
    const wanted = Buffer.from(bytes, "hex");
    return head.subarray(at, at + wanted.length).equals(wanted);
  })?.mimeType;
