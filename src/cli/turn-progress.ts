import type { EventData, SessionEvent } from "../protocol/event";
import type { Cli } from "./cli";
import { jsonText, type WritableLike } from "./output";
import { plainText } from "./plain-text";

const INPUT_CHARS = 120;

/** Shows a running turn to the person who waits for it. */
export interface TurnProgress {
  show(event: SessionEvent): void;
  /** Whether the reply's text has been written to stdout already. */
  replyOnStdout(): boolean;
}

/** The reply streams to stdout on a terminal, else to stderr if that is one, else nowhere. */
function replyStream({ io }: Cli, json: boolean): WritableLike | undefined {
  if (io.stdout.isTTY && !json) return io.stdout;
  return io.stderr.isTTY ? io.stderr : undefined;
}

const shortInput = (input: unknown): string => {
  const text = jsonText(input, true);
  return text.length > INPUT_CHARS ? `${text.slice(0, INPUT_CHARS)}…` : text;
};

const decisionText = ({ decision, by, reason }: EventData<"action.approval_resolved">): string =>
  `${decision === "approve" ? "approved" : "denied"} by ${by}${reason ? `: ${reason}` : ""}`;

/** The display of one turn; tool calls go to stderr, one line each. */
export function createTurnProgress(cli: Cli, { json }: { json: boolean }): TurnProgress {
  const stream = replyStream(cli, json);
  const { dim, red, yellow } = cli.output.err;
  let openLine = false;
  const closeLine = () => {
    if (openLine) stream?.write("\n");
    openLine = false;
  };
  const line = (text: string) => {
    closeLine();
    cli.output.note(text);
  };
  const showText = (delta: string) => {
    stream?.write(plainText(delta));
    openLine = stream !== undefined;
  };
  const showResult = ({ toolName, isError, durationMs }: EventData<"action.result">) => {
    const text = plainText(`← ${toolName} ${isError ? "failed" : "ok"} (${durationMs} ms)`);
    line(isError ? red(text) : dim(text));
  };
  const showCalls = ({ calls }: EventData<"actions.requested">) => {
    for (const { toolName, input } of calls)
      line(dim(plainText(`→ ${toolName} ${shortInput(input)}`)));
  };
  const show = (event: SessionEvent) => {
    switch (event.type) {
      case "turn.queued":
        line(dim(`queued, ${event.data.position} ahead`));
        return;
      case "message.appended":
        if (event.data.parentCallId === undefined) showText(event.data.delta);
        return;
      case "actions.requested":
        showCalls(event.data);
        return;
      case "action.approval_requested":
        line(
          yellow(plainText(`⏸ ${event.data.toolName} waits for a person: ${event.data.callId}`)),
        );
        return;
      case "action.approval_resolved":
        line(dim(plainText(decisionText(event.data))));
        return;
      case "action.result":
        showResult(event.data);
        return;
      case "message.completed":
      case "turn.failed":
        closeLine();
        return;
      default:
        return;
    }
  };
  return { show, replyOnStdout: () => stream === cli.io.stdout };
}
