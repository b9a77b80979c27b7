import type { ShellCall, ShellOutcome } from "../../protocol/shell-rpc";
import { replaceFile, withFile } from "./open-file";
import { Refusal } from "./refusal";
import type { Workspace } from "./workspace";

type EditCall = Extract<ShellCall, { kind: "edit" }>;

const MAX_BYTES = 16 * 1024 * 1024;

/** The whole of a text file. Anything but UTF-8 is refused: written back it would be damaged. */
const readWhole = (name: string, path: string): Promise<string> =>
  withFile(name, path, async (file) => {
    const { size } = await file.stat();
    if (size > MAX_BYTES) {
      throw new Refusal(`${name} is ${size} bytes long; at most ${MAX_BYTES} can be edited.`);
    }
    const bytes = await file.readFile();
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      throw new Refusal(`${name} is not a text file.`);
    }
  });

function checkTexts({ oldText, newText }: EditCall): void {
  if (oldText === "") throw new Refusal("oldText is empty; to make a file, write it.");
  if (oldText === newText) throw new Refusal("oldText and newText are the same.");
}

/** Replaces text that must occur exactly once, or every occurrence with `all`. */
export async function editFile(workspace: Workspace, call: EditCall): Promise<ShellOutcome> {
  const { path: given, oldText, newText, all = false } = call;
  checkTexts(call);
  const path = await workspace.resolve(given);
  const pieces = (await readWhole(given, path)).split(oldText);
  const replacements = pieces.length - 1;
  if (replacements === 0) {
    throw new Refusal(
      `oldText is not in ${given}. It must match exactly, spaces and line ends too.`,
    );
  }
  if (replacements > 1 && !all) {
    throw new Refusal(
      `oldText is in ${given} ${replacements} times. Give more of its surroundings, or set all.`,
    );
  }
  await replaceFile(given, path, pieces.join(newText));
  return { ok: true, kind: "edit", changed: true, replacements };
}
