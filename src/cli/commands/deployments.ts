import type { Command } from "commander";
import type { DeploymentView } from "../../protocol/build-log";
import { type Cli, command } from "../cli";
import { connectAgent } from "../config";
import { listCommand } from "../list-command";

/** `berth deployments list`. */
export const deploymentsCommand = (cli: Cli): Command =>
  command("deployments", "an agent's versions").addCommand(
    listCommand<DeploymentView>(cli, {
      summary: "the agent's versions, newest first",
      plural: "deployments",
      heading: ["VERSION", "STATUS", "ACTIVE", "CREATED", "MESSAGE"],
      row: ({ version, status, active, createdAt, message }) => [
        version,
        status,
        active ? "yes" : "",
        createdAt,
        message,
      ],
      fetch: async (options, page) => {
        const { server, org, agent } = await connectAgent(cli, options);
        return server.client.control.listDeployments(org, agent, page);
      },
    }),
    { isDefault: true },
  );
