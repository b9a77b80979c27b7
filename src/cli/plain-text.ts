// Whole sequences first (colours, cursor moves, titles, links), then every lone control
// character but tab and line feed, and the marks that reorder what is read.
const ESCAPE = "\\u001b";
const OSC = `(?:${ESCAPE}[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])`;
const STRING = `${OSC}[^\\u0007\\u001b\\u009c]*(?:\\u0007|${ESCAPE}\\\\|\\u009c)?`;
const CSI = `(?:${ESCAPE}\\[|\\u009b)[0-?]*[ -/]*[@-~]?`;
const OTHER = `${ESCAPE}[ -/]*[0-~]?`;
const SEQUENCES = new RegExp(`${STRING}|${CSI}|${OTHER}`, "g");
const CONTROLS = /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/gu;

/** Text of a server or model that is safe on a terminal: no escape sequence, no control. */
export const plainText = (text: string): string =>
  text.replace(SEQUENCES, "").replace(CONTROLS, "");
