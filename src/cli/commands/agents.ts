import type { Command } from "commander";
import type { AgentRecord } from "../../sdk/client";
import { type Cli, command } from "../cli";
import { connect, orgOf } from "../config";
import { listCommand } from "../list-command";

/** `berth agents list`. */
export const agentsCommand = (cli: Cli): Command =>
  command("agents", "the organisation's agents").addCommand(
    listCommand<AgentRecord>(cli, {
      summary: "the organisation's agents",
      plural: "agents",
      heading: ["AGENT", "KIND", "VERSION"],
      row: (agent) => [agent.slug, agent.kind, agent.activeVersion],
      fetch: async (options, page) => {
        const server = await connect(cli, options);
        return server.client.control.listAgents(await orgOf(cli, options, server), page);
      },
    }),
    { isDefault: true },
  );
