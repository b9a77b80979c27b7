import { type Command, Option } from "commander";
import type { ModelSettings } from "../../sdk/client";
import { type Cli, command, optionsOf } from "../cli";
import { connect, orgOf } from "../config";
import { usageError } from "../exit-code";
import { hiddenPrompt } from "../hidden-prompt";
import { table } from "../output";
import { decodeUtf8, readStdin } from "../read-stdin";

const KINDS = ["openai-compatible", "openai", "anthropic", "google", "xai"];

interface SetOptions {
  kind: string;
  baseUrl?: string;
  /** `--no-key` makes it false. */
  key: boolean;
}

/** The provider's key from a hidden prompt or from stdin; surrounding white space is no part of it. */
async function readKey(cli: Cli, name: string): Promise<string> {
  const text = cli.io.stdin.isTTY
    ? await hiddenPrompt(cli, `API key of ${name}`)
    : decodeUtf8(await readStdin(cli.io.stdin), "The API key");
  const key = text.trim();
  if (key !== "") return key;
  throw usageError(
    "There was no API key on stdin.",
    `printf %s "$KEY" | berth models set ${name} …, or --no-key for a server that wants none.`,
  );
}

const setCommand = (cli: Cli): Command =>
  command("set <name>", "add or change a provider of models; the key is asked for or piped")
    .addOption(
      new Option("--kind <kind>", "how it is spoken to").choices(KINDS).makeOptionMandatory(),
    )
    .option("--base-url <url>", "address of its API")
    .option("--no-key", "the server wants no key")
    .action(async (name: string, _: object, self: Command) => {
      const options = optionsOf<SetOptions>(self);
      const server = await connect(cli, options);
      const org = await orgOf(cli, options, server);
      const settings: ModelSettings = { kind: options.kind };
      if (options.baseUrl) settings.baseUrl = options.baseUrl;
      if (options.key) settings.apiKey = await readKey(cli, name);
      const provider = await server.client.control.setModel(org, name, settings);
      if (options.json) cli.output.json(provider);
      cli.output.note(`Agents of ${org} can now name ${name}/<model>.`);
    });

const listCommand = (cli: Cli): Command =>
  command("list", "the organisation's providers; never their keys").action(
    async (_: object, self: Command) => {
      const options = optionsOf(self);
      const server = await connect(cli, options);
      const org = await orgOf(cli, options, server);
      const { models } = await server.client.control.listModels(org);
      if (options.json) {
        cli.output.json({ models });
        return;
      }
      const rows = models.map(({ name, kind, baseUrl, fingerprint }) => [
        name,
        kind,
        baseUrl,
        fingerprint,
      ]);
      cli.output.data(table([["NAME", "KIND", "BASE URL", "KEY"], ...rows]));
    },
  );

/** `berth models set|list`. */
export const modelsCommand = (cli: Cli): Command =>
  command("models", "where the organisation's agents find their models")
    .addCommand(setCommand(cli))
    .addCommand(listCommand(cli), { isDefault: true });
