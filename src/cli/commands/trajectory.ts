import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import type { SessionEvent } from "../../protocol/event";
import { trajectoryOf } from "../../protocol/trajectory";
import { type Cli, command, optionsOf } from "../cli";
import { connectAgent } from "../config";
import { usageError } from "../exit-code";
import type { GlobalOptions } from "../global-options";
import { decodeUtf8, readStdin } from "../read-stdin";

interface TrajectoryOptions {
  events?: string;
  turn?: string;
}

/** `berth trajectory`: what a turn did, from a session's log or from a file of its events. */
export const trajectoryCommand = (cli: Cli): Command =>
  command(
    "trajectory [session]",
    "tool calls, reply and usage of a turn, as run --json prints them",
  )
    .option("--events <file>", "read the events from an NDJSON file instead; - for stdin")
    .option("--turn <id>", "this turn instead of the last one")
    .action(async (session: string | undefined, _: object, self: Command) => {
      const options = optionsOf<TrajectoryOptions>(self);
      const events = await eventsOf(cli, session, options);
      const turnId = options.turn ?? events.findLast((event) => event.turnId)?.turnId;
      const [first] = events;
      if (!first || turnId === undefined || !events.some((event) => event.turnId === turnId)) {
        throw usageError(
          turnId === undefined ? "The events hold no turn." : `The events hold no turn ${turnId}.`,
          "Leave --turn out for the last one.",
        );
      }
      cli.output.json(trajectoryOf(events, { sessionId: first.sessionId, turnId }));
    });

async function eventsOf(
  cli: Cli,
  session: string | undefined,
  options: TrajectoryOptions & GlobalOptions,
): Promise<SessionEvent[]> {
  const { events: file } = options;
  if ((session === undefined) === (file === undefined)) {
    throw usageError("Name a session or a file of events.", "berth trajectory SESSION");
  }
  if (session === undefined) return parseEvents(await bytesOf(cli, file ?? "-"));
  const { api } = await connectAgent(cli, options);
  const events: SessionEvent[] = [];
  for await (const event of api.events(session, { follow: false })) events.push(event);
  return events;
}

async function bytesOf(cli: Cli, file: string): Promise<string> {
  if (file === "-") return decodeUtf8(await readStdin(cli.io.stdin), "What came on stdin");
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw usageError(`${file} cannot be read: ${error.code ?? error.message}`);
  });
  return decodeUtf8(bytes, file);
}

/** One event per line; keep-alives and the line that ends a stream are left out. */
function parseEvents(text: string): SessionEvent[] {
  return text.split("\n").flatMap((line, i) => {
    if (line.trim() === "") return [];
    const event = parsed(line);
    if (!event) throw usageError(`Line ${i + 1} is no event.`, "The file is to be NDJSON.");
    return "index" in event ? [event] : [];
  });
}

function parsed(line: string): SessionEvent | undefined {
  try {
    const value = JSON.parse(line) as SessionEvent | null;
    return typeof value?.type === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
