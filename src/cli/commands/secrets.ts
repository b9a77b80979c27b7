import type { Command } from "commander";
import type { SecretRecord } from "../../sdk/client";
import { requireSlug } from "../agent-slug";
import { type Cli, command, optionsOf } from "../cli";
import { connect, orgOf } from "../config";
import type { GlobalOptions } from "../global-options";
import { table } from "../output";
import { collectSecrets, type SecretSources } from "../secret-values";

const collect = (value: string, before: string[]) => [...before, value];

async function place(cli: Cli, options: GlobalOptions, agentName: string) {
  const agent = requireSlug(agentName, "another name");
  const server = await connect(cli, options);
  return { control: server.client.control, org: await orgOf(cli, options, server), agent };
}

const show = (cli: Cli, secrets: SecretRecord[]): void =>
  cli.output.data(
    table([
      ["NAME", "VERSION", "LENGTH", "FINGERPRINT"],
      ...secrets.map((found) => [found.name, found.version, found.length, found.fingerprint]),
    ]),
  );

const setCommand = (cli: Cli): Command =>
  command("set <agent> [names...]", "store values from hidden prompts, stdin or files")
    .option("--env-file <file>", "every NAME=value of a file")
    .option("--from-file <name=path>", "the content of a file, byte for byte", collect, [])
    .option("--from-env <name>", "a variable of this environment", collect, [])
    .option("--raw", "keep the line feed at the end of a piped value")
    .action(async (agentName: string, names: string[], _: object, self: Command) => {
      const options = optionsOf<SecretSources>(self);
      const values = await collectSecrets(cli, names, options);
      const { control, org, agent } = await place(cli, options, agentName);
      const { secrets } = await control.setSecrets(org, agent, values);
      if (options.json) cli.output.json({ org, agent, secrets });
      else show(cli, secrets);
      cli.output.note(`Stored for ${org}/${agent}; its next call uses them.`);
    });

const listCommand = (cli: Cli): Command =>
  command("list <agent>", "names, versions, lengths and fingerprints; never values").action(
    async (agentName: string, _: object, self: Command) => {
      const options = optionsOf(self);
      const { control, org, agent } = await place(cli, options, agentName);
      const { secrets } = await control.listSecrets(org, agent);
      if (options.json) cli.output.json({ secrets });
      else show(cli, secrets);
    },
  );

const deleteCommand = (cli: Cli): Command =>
  command("delete <agent> <name>", "delete a secret").action(
    async (agentName: string, name: string, _: object, self: Command) => {
      const options = optionsOf(self);
      const { control, org, agent } = await place(cli, options, agentName);
      await control.deleteSecret(org, agent, name);
      if (options.json) cli.output.json({ deleted: name });
      cli.output.note(`Deleted ${name} of ${org}/${agent}.`);
    },
  );

/** `berth secrets set|list|delete`. */
export const secretsCommand = (cli: Cli): Command =>
  command("secrets", "what an agent's code finds in its environment")
    .addCommand(setCommand(cli))
    .addCommand(listCommand(cli))
    .addCommand(deleteCommand(cli));
