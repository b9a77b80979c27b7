import type { Command } from "commander";
import type { ArtifactRecord } from "../../sdk/client";
import { type Cli, command, optionsOf } from "../cli";
import { connectAgent } from "../config";
import { listCommand } from "../list-command";
import { saveDownload } from "../save-download";

interface Filter {
  kind?: string;
  session?: string;
}

const list = (cli: Cli): Command =>
  listCommand<ArtifactRecord>(cli, {
    summary: "what the agent kept, newest first",
    plural: "artifacts",
    heading: ["ARTIFACT", "KIND", "KEY", "VERSION", "BYTES", "CREATED", "TITLE"],
    row: ({ id, kind, key, version, size, createdAt, title }) => [
      id,
      kind,
      key,
      version,
      size,
      createdAt,
      title,
    ],
    fetch: async (options, page) => {
      const { kind, session } = options as Filter;
      const { api } = await connectAgent(cli, options);
      return await api.listArtifacts({
        ...page,
        ...(kind === undefined ? {} : { kind }),
        ...(session === undefined ? {} : { session }),
      });
    },
  })
    .option("--kind <kind>", "of one kind only")
    .option("--session <id>", "of one session only");

const get = (cli: Cli): Command =>
  command("get <id>", "one artifact with its data, as JSON").action(
    async (id: string, _: object, self: Command) => {
      const { api } = await connectAgent(cli, optionsOf(self));
      cli.output.json(await api.getArtifact(id));
    },
  );

const download = (cli: Cli): Command =>
  command("download <id>", "an artifact's contents, as a file")
    .option("-o, --output <file>", "where to write; - is stdout")
    .option("--force", "write over a file that is there")
    .action(async (id: string, _: object, self: Command) => {
      const options = optionsOf<{ output?: string; force?: boolean }>(self);
      const { api } = await connectAgent(cli, options);
      const saved = await saveDownload(cli, await api.downloadArtifact(id), {
        file: options.output,
        overwrite: options.force === true,
      });
      if (saved === undefined) return;
      if (options.json) cli.output.json(saved);
      else cli.output.note(`Saved ${saved.file} (${saved.bytes} bytes).`);
    });

/** `berth artifacts list|get|download`. */
export const artifactsCommand = (cli: Cli): Command =>
  command("artifacts", "what agents kept for people")
    .addCommand(list(cli), { isDefault: true })
    .addCommand(get(cli))
    .addCommand(download(cli));
