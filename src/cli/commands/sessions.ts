import type { Command } from "commander";
import type { SessionRecord } from "../../sdk/client";
import { type Cli, command } from "../cli";
import { connectAgent } from "../config";
import { listCommand } from "../list-command";

/** `berth sessions list`: the caller's own sessions of an agent, newest first. */
export const sessionsCommand = (cli: Cli): Command =>
  command("sessions", "conversations with an agent").addCommand(
    listCommand<SessionRecord>(cli, {
      summary: "your sessions with the agent, newest first",
      plural: "sessions",
      heading: ["SESSION", "STATUS", "CHANNEL", "TITLE"],
      row: (session) => [session.sessionId, session.status, session.channel, session.title],
      fetch: async (options, page) => (await connectAgent(cli, options)).api.listSessions(page),
    }),
    { isDefault: true },
  );
