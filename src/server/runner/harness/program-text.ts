import type { ProgramEnd, ProgramOutput } from "../../../protocol/shell-rpc";

/** What a program printed; where it is too long, its two ends. */
export const outputText = ({ head, tail, omittedBytes }: ProgramOutput): string =>
  omittedBytes === 0 ? head + tail : `${head}\n[${omittedBytes} bytes are left out.]\n${tail}`;

export const succeeded = ({ exitCode, timedOut }: ProgramEnd): boolean =>
  exitCode === 0 && !timedOut;

/** How a program that failed ended. */
export function endText({ exitCode, signal, timedOut, durationMs }: ProgramEnd): string {
  if (timedOut) return `It was stopped at its time limit, after ${durationMs} ms.`;
  if (exitCode !== null) return `Exit code ${exitCode}.`;
  return signal === null ? "It could not be started." : `It was ended by ${signal}.`;
}
