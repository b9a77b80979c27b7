import type { Cli } from "./cli";
import { CliError, EXIT } from "./exit-code";

const INTERRUPT = "\u0003";
const END_OF_INPUT = "\u0004";
const ERASE = new Set(["\u007f", "\b"]);
const ENTER = new Set(["\r", "\n"]);
// Terminals wrap what is pasted; the wrapping is no part of it.
const ESC = "\u001b";
const PASTE_MARKS = new RegExp(`${ESC}\\[20[01]~`, "g");

const interrupted = () =>
  new CliError("interrupted", "Interrupted.", { exitCode: EXIT.interrupted });

/** What one chunk of keys does to the typed text; `done` once Enter or Ctrl-D came. */
function type(text: string, keys: string): { text: string; done: boolean } {
  let typed = text;
  for (const key of keys) {
    if (key === INTERRUPT) throw interrupted();
    if (key === END_OF_INPUT || ENTER.has(key)) return { text: typed, done: true };
    typed = ERASE.has(key) ? [...typed].slice(0, -1).join("") : typed + key;
  }
  return { text: typed, done: false };
}

/**
 * Asks on the terminal and reads one line without showing it. Only for a stdin that is a terminal.
 * @throws CliError `interrupted` at Ctrl-C
 */
export async function hiddenPrompt(cli: Cli, question: string): Promise<string> {
  const { stdin, stderr } = cli.io;
  stderr.write(`${question}: `);
  stdin.setRawMode?.(true);
  stdin.setEncoding("utf8");
  try {
    return await new Promise<string>((resolve, reject) => {
      let text = "";
      const finish = (settle: () => void) => {
        stdin.off("data", onData);
        stdin.off("end", onEnd);
        settle();
      };
      const onEnd = () => finish(() => resolve(text));
      const onData = (chunk: string | Buffer) => {
        try {
          const result = type(text, chunk.toString().replace(PASTE_MARKS, ""));
          text = result.text;
          if (result.done) finish(() => resolve(text));
        } catch (error) {
          finish(() => reject(error));
        }
      };
      stdin.on("data", onData);
      stdin.on("end", onEnd);
      stdin.resume();
    });
  } finally {
    stdin.pause();
    stdin.setRawMode?.(false);
    stderr.write("\n");
  }
}
